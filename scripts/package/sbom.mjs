/**
 * The software bill of materials of a package: what is in it, in which version, under which licence.
 *
 * Format: CycloneDX 1.6, https://cyclonedx.org/docs/1.6/json/; names of components are package URLs,
 * https://github.com/package-url/purl-spec.
 *
 * @param {import('./licences.mjs').Licensed[]} components
 * @param {{ name: string, version: string, licence: string, date: Date }} product
 */
export function billOfMaterials(components, { name, version, licence, date }) {
  const product = {
    type: 'application',
    'bom-ref': `${name}@${version}`,
    name,
    version,
    licenses: [{ license: { id: licence, acknowledgement: 'declared' } }],
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
      licenses: [{ expression: component.licence, acknowledgement: component.declared ? 'declared' : 'concluded' }],
    })),
    // What is bundled is known, how it depends on each other is not recorded.
    dependencies: [{ ref: product['bom-ref'], dependsOn: components.map(packageUrl) }],
  };
}

/** @param {import('./bundled.mjs').Component} component */
export function packageUrl({ ecosystem, name, version }) {
  const path = name.split('/').map(encodeURIComponent).join('/');
  return `pkg:${ecosystem}/${path}@${encodeURIComponent(version)}`;
}
