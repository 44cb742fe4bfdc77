// jsdom with a style sheet that says no more than which elements are shown. Libraries ask for styles all the time, and jsdom matches each
// element with the 120 rules of a browser's sheet and works out ten colors, which took a fifth of the time of the tests. Nothing has a
// layout there, so they see no other style.
const path = require.resolve('jsdom/lib/jsdom/browser/default-stylesheet');
const selectors = {};
for (const [, selector, rule] of require(path).matchAll(/([^{}/;]+)\{([^}]*)\}/g)) {
  for (const declaration of rule.match(/\bdisplay: [\w-]+/g) ?? []) {
    (selectors[declaration] ??= []).push(selector);
  }
}
require.cache[path].exports = Object.entries(selectors)
  .map(([declaration, all]) => `${all} { ${declaration} }`)
  .join('\n');

const { propertiesWithResolvedValueImplemented: resolved } = require('jsdom/lib/jsdom/living/helpers/style-rules');
for (const property of Object.keys(resolved).filter((name) => name.endsWith('color'))) {
  delete resolved[property];
}

module.exports = require('jest-environment-jsdom');
