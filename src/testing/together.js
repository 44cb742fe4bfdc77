import '@testing-library/react'; // its hooks are those of all files
// What is loaded when it is first shown: to compile it takes a busy machine longer than a test waits.
import '../annotations/AnnotationEditor';
import '../config/ConfigEditor';
import '../query/QueryEditor';
import '../query/catalog/CatalogDrawer';
import '../variables/VariableEditor';

describe.each(globalThis.TEST_FILES)('%s', (file) => {
  require(`../../${file}`);
});
