import { READY_MADE_LISTS, listAt } from '../../catalog/lists';
import { pathIds, pathError } from './path';

const IDS = pathIds({ projectId: 42, organizationId: 'org-1' });
const NO_IDS = pathIds({});

it.each(['/v1/capacities', '/v1/projects/p-1/quotas', '/v1/projects/$project/quotas', '/v1/a/${b:raw}', '$path'])(
  'the path %s is fine',
  (path) => expect(pathError(path, NO_IDS)).toBeUndefined()
);

it.each([
  ['', /Enter a path/],
  ['/v2/capacities', /starts with \/v1\//],
  ['v1/capacities', /starts with \/v1\//],
  ['https://example.com/v1/x', /starts with \/v1\//],
  ['/v1/capacities?a=b', /question mark/],
  ['/v1/%2e%2e/x', /“%”/],
  ['/v1/x#y', /“#”/],
  ['/v1/../x', /not allowed/],
  ['/v1/./x', /not allowed/],
  ['/v1//x', /single slashes/],
  ['/v1/x/', /single slashes/],
  ['/v1/a b', /single slashes/],
  ['/v1/projects/{projectId}/quotas', /set the project id .* section Connection/],
  ['/v1/organizations/{organizationId}/usage', /set the organization id .* section Main API/],
  ['/v1/clusters/{clusterId}', /\{clusterId\} is not known/],
])('the path %p is refused', (path, error) => expect(pathError(path, NO_IDS)).toMatch(error));

it.each(READY_MADE_LISTS)('the ready-made list $name can be requested, and is found again by its path', (list) => {
  expect(pathError(list.path, IDS)).toBeUndefined();
  expect(listAt(list.path)).toBe(list);
  const written = list.path.replace('{projectId}', 'p-2').replace('{organizationId}', 'org-2');
  expect(listAt(written)).toBe(list);
});
