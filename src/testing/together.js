import '@testing-library/react'; // its hooks are those of all files

describe.each(globalThis.TEST_FILES)('%s', (file) => {
  require(`../../${file}`);
});
