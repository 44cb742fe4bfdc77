import { createContext, useContext, useEffect, useRef, useState } from 'react';

/** True once the settings on the page have been tested: what is missing then counts as left empty. */
export const TestedContext = createContext(false);

/** Longer than a click takes. */
const DELAY_MS = 250;

/**
 * Whether a field has been visited and left, or the settings tested, so that a new form does not start full of errors.
 *
 * The result comes with a delay: an error that appears the moment the field is left moves the page under the pointer,
 * and the click that left the field, on "Save & test" say, would hit nothing.
 */
export function useVisited(): { visited: boolean; onBlur: () => void } {
  const tested = useContext(TestedContext);
  const [visited, setVisited] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  useEffect(() => () => clearTimeout(timer.current), []);

  const onBlur = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setVisited(true), DELAY_MS);
  };
  return { visited: visited || tested, onBlur };
}
