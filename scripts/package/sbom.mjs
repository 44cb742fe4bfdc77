/**
 * The software bill of materials of a package: its components with versions and licenses.
 *
 * Format: CycloneDX 1.6, https://cyclonedx.org/docs/1.6/json/; names of components are package URLs,
 * https://github.com/package-url/purl-spec.
 *
 * @param {import('./licenses.mjs').Licensed[]} components
 * @param {{ name: string, version: string, license: string, date: Date }} product
 */
export function billOfMaterials(components, { name, version, license, date }) {
  const product = {
    type: 'application',
    'bom-ref': `${name}@${version}`,
    name,
    version,
    licenses: [{ license: { id: license, acknowledgement: 'declared' } }],
  };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { timestamp: date.toISOString(), component: product },
    components: components.map((component) => ({
      type: 'library',
      'bom-ref': packageUrl(component),
      name: component.name,
      version: component.version,
      purl: packageUrl(component),
      licenses: [{ expression: component.license, acknowledgement: component.declared ? 'declared' : 'concluded' }],
    })),
    // Dependencies among components are not recorded.
    dependencies: [{ ref: product['bom-ref'], dependsOn: components.map(packageUrl) }],
  };
}

/** @param {import('./bundled.mjs').Component} component */
export function packageUrl({ ecosystem, name, version }) {
  const path = name.split('/').map(encodeURIComponent).join('/');
  return `pkg:${ecosystem}/${path}@${encodeURIComponent(version)}`;
}
