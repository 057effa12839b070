/** Codes by status, as section 4 of the specification lists them; 0 is success. */
type Statuses = Readonly<Record<number, readonly number[]>>;

const tag2203 = [2203, 2204, 2205, 2206, 2207, 2208, 2209];
const template: Statuses = { 200: [0], 404: [2501], 500: [1010, 1001] };

/** Section 4 of the specification as it stands, endpoint by endpoint; to be held against its tables. */
export const section4: Readonly<Record<string, Statuses>> = {
  // 4.1 Session
  'POST /ping': { 200: [0] },
  'POST /login': { 200: [0], 401: [1004, 1005], 403: [1006, 1007, 1008] },
  'POST /password': { 200: [0], 401: [1004, 1005, 1012, 1013], 403: [1006, 1007, 1008] },

  // 4.2 Nodes
  'POST /node': { 200: [0], 400: [2001], 404: [2301], 409: [2002] },
  'DELETE /node': { 200: [0], 404: [2003] },
  'PUT /node': { 200: [0], 400: [2013, 2015], 404: [2003], 409: [2002], 500: [1001, 1010] },
  'GET /node': { 200: [0] },
  'POST /node/setting': { 200: [0], 400: [2003, 2004] },
  'GET /node/setting': { 200: [0, 2005], 404: [2003] },
  'POST /node/ctl': { 200: [0], 409: [2006, 2007, 2008, 2009] },
  'GET /node/state': { 200: [0] },

  // 4.3 Groups
  'POST /group': { 200: [0], 404: [2003], 409: [2103] },
  'DELETE /group': { 200: [0], 412: [2101], 404: [2003, 2106] },
  'PUT /group': { 200: [0], 404: [2003, 2106], 409: [2104] },
  'GET /group': { 200: [0] },

  // 4.4 Tags
  'POST /tags': { 200: [0], 206: [2202, 2203, 2204, 2205], 404: [2003] },
  'GET /tags': { 200: [0], 404: [2003] },
  'PUT /tags': { 200: [0], 206: [2201, 2202, 2203, 2204, 2205], 404: [2003, 2106] },
  'DELETE /tags': { 200: [0], 404: [2003] },

  // 4.5 Reading and writing tags
  'POST /read': { 200: [0] },
  'POST /read/paginate': { 200: [0] },
  'POST /read/test': { 200: [0] },
  'POST /write': { 200: [0] },
  'POST /write/tags': { 200: [0] },

  // 4.6 Plugins
  'POST /plugin': { 200: [0], 400: [2302] },
  'DELETE /plugin': { 200: [0] },
  'GET /plugin': { 200: [0] },
  'GET /schema': { 200: [0] },

  // 4.7 Subscriptions; the code of the 400 of the last is not shown there
  'POST /subscribe': { 200: [0], 404: [2106] },
  'POST /subscribes': { 200: [0], 404: [2106] },
  'PUT /subscribe': { 200: [0], 404: [2106] },
  'DELETE /subscribe': { 200: [0], 404: [2106] },
  'GET /subscribe': { 200: [0], 400: [1003] },

  // 4.8 Operations and information
  'GET /version': { 200: [0], 500: [1001] },
  'POST /license': { 200: [0, 2402], 400: [2401], 500: [1001] },
  'GET /license': { 200: [0], 404: [2400], 500: [1001] },
  'GET /logs': { 200: [0], 404: [1011, 1014], 500: [1001] },
  'GET /log': { 200: [0], 400: [1003] },
  'PUT /log/level': { 200: [0], 404: [2003], 500: [1001, 1010] },
  'GET /file/info': { 200: [0], 404: [1011, 4101] },

  // 4.9 Templates
  'POST /template': {
    200: [0],
    206: tag2203,
    400: [2105, 2107, 2502, 3013, 3016],
    404: [3014],
    409: [2104, 2202, 2500],
    500: [1010, 1001],
  },
  'DELETE /template': { 200: [0], 404: [2501], 500: [1010] },
  'GET /template': { ...template, 400: [1003] },
  'POST /template/inst': { ...template, 400: [2304, 2502], 404: [2301, 2501], 409: [2002, 2307] },
  'POST /template/instances': { ...template, 400: [2304, 2502], 404: [2301, 2501], 409: [2002, 2307] },
  'POST /template/group': { ...template, 400: [2105, 2107, 2502], 409: [2104] },
  'DELETE /template/group': { ...template, 400: [2107, 2502], 404: [2106, 2501] },
  'PUT /template/group': { ...template, 400: [2105, 2107, 2502], 404: [2106, 2501] },
  'GET /template/group': { ...template, 400: [1003] },
  'POST /template/tag': {
    ...template,
    206: tag2203,
    400: [2107, 2502],
    404: [2106, 2501],
    409: [2202],
  },
  'PUT /template/tag': { ...template, 206: [2201, ...tag2203], 400: [2107, 2502], 404: [2106, 2501] },
  'DELETE /template/tag': { ...template, 206: [2206], 400: [2107, 2502], 404: [2106, 2501] },
  'GET /template/tag': { ...template, 400: [1003], 404: [2106, 2501] },
};

const loginNeedsNoToken = 'A login carries no token, so none can be wrong; bad credentials are 1009.';
const noMalformedLibrary =
  'A library that does not open is left out at the start of the gateway, and a node of it needs one that was there before: see test/libraries.test.ts.';

const logFolder = 'It takes a damaged log folder: see host/test/log/archive.test.ts.';

/** Why a listed code has no row, by endpoint and code; by code alone where it is the same for every endpoint. */
const reasons: Readonly<Record<string, string>> = {
  '1001': 'No request is known that ends in an internal error; one that does is a defect.',
  '1010': 'It takes a thousand changes that wait at once: see host/test/core/busy.test.ts.',
  'POST /login 1004': loginNeedsNoToken,
  'POST /login 1005': loginNeedsNoToken,
  'POST /login 1006': loginNeedsNoToken,
  'POST /login 1007': loginNeedsNoToken,
  'POST /login 1008': loginNeedsNoToken,
  'POST /node 2001': 'Every plugin is a driver or an app; a library that says otherwise is not loaded.',
  'GET /license 0': 'It takes a license first, which has rows of its own: see test/license.test.ts.',
  'GET /logs 1011': logFolder,
  'GET /logs 1014': logFolder,
  'PUT /tags 2202': 'An update finds its tag by name and cannot change the name, so none can be in conflict.',
  'POST /template/inst 2304': noMalformedLibrary,
  'POST /template/instances 2304': noMalformedLibrary,
  'POST /template/inst 2307': 'No plugin is limited to one node.',
  'POST /template/instances 2307': 'No plugin is limited to one node.',
};

/** The reason for which an endpoint cannot answer with a code, or only in a way that no single request shows. */
export function impossible(endpoint: string, code: number): string | undefined {
  return reasons[`${endpoint} ${code}`] ?? reasons[String(code)];
}
