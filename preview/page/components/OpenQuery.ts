import { createContext } from 'react';
import { type Query } from '../plugin/loadPlugin';

/** Shows a query in the query view, as a link to Explore does in Grafana. */
export const OpenQuery = createContext<(query: Query) => void>(() => {});
