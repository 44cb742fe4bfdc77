import { READY_MADE_LISTS, listAt } from '../catalog/lists';
import { fillProject, pathProblem } from './path';

it.each(['/v1/capacities', '/v1/projects/p-1/quotas', '/v1/projects/$project/quotas', '/v1/a/${b:raw}', '$path'])(
  'the path %s is fine',
  (path) => expect(pathProblem(path)).toBeUndefined()
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
  ['/v1/projects/{projectId}/quotas', /set the project id/],
  ['/v1/organizations/{organizationId}/usage', /Replace \{organizationId\}/],
])('the path %p is refused', (path, problem) => expect(pathProblem(path)).toMatch(problem));

it.each(READY_MADE_LISTS)('the ready-made list $name is found again by its path, once the ids are in it', (list) => {
  const path = fillProject(list.path, 'p-1').replace('{organizationId}', 'org-1');
  expect(pathProblem(path)).toBeUndefined();
  expect(listAt(path)).toBe(list);
});
