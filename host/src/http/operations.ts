import type { ApiTypes } from '@tagway/schemas';

/** What the document of the API says of an endpoint beyond what its route knows. */
export interface Operation {
  /** Title of the part of the API. */
  readonly part: string;
  readonly summary: string;
  /** What it answers on success: any of these definitions of `schemas/api`, or a content type. */
  readonly reply: readonly (keyof ApiTypes)[] | { readonly type: string };
  /** The codes it may answer, beside those that every endpoint of its kind may: see `openapi.ts`. */
  readonly codes: readonly number[];
}

const done = ['ErrorReply'] as const;
const tagCodes = [2203, 2204, 2205, 2206, 2207, 2208, 2209, 2211, 2212];
/** Of writing to a device; a driver may add codes of its own. */
const writeCodes = [3000, 3001, 3002, 3004, 3007, 3009, 3010, 3012, 3015, 3020, 4100];
const testCodes = [3000, 3002, 3008, 3009, 3010, 3012, 3015];
const instanceCodes = [2002, 2015, 2301, 2304, 2307, 2403, 2404, 2405, 2501, 2502];
const nameCodes = [2010, 2107];
const importCodes = [
  ...nameCodes,
  ...[2003, 2004, 2015, 2103, 2104, 2105, 2106, 2202, 2301, 2304, 2403, 2404, 2405],
  ...tagCodes,
];
/** Of installing a library. */
const libraryCodes = [2302, 2303, 2304, 2305, 2310, 2311, 2314, 2315, 2317];

type Row = readonly [summary: string, reply: Operation['reply'], codes: readonly number[]];

const parts: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  Session: {
    'POST /api/v2/ping': ['Says that the gateway answers.', ['EmptyReply'], []],
    'POST /api/v2/login': ['Gives a token for a name and a password.', ['LoginReply'], [1004, 1005, 1009]],
    'POST /api/v2/password': ['Changes the password of a user.', done, [1009, 1012, 1013]],
  },
  Nodes: {
    'GET /api/v2/node': ['Lists the drivers or the apps.', ['NodesReply'], []],
    'POST /api/v2/node': [
      'Adds a node; with params it is set up and starts.',
      done,
      [2001, 2002, 2004, 2010, 2015, 2301, 2304, 2307, 2404],
    ],
    'PUT /api/v2/node': ['Renames a node.', done, [2002, 2003, 2010, 2013, 2015]],
    'DELETE /api/v2/node': [
      'Deletes a node with its groups, tags and subscriptions.',
      done,
      [2003, 2010, 2011],
    ],
    'GET /api/v2/node/setting': [
      'Shows the settings of a node as they were sent.',
      ['SettingReply'],
      [2003, 2005, 2010],
    ],
    'POST /api/v2/node/setting': [
      'Sets a node up; its first valid settings start it.',
      done,
      [2003, 2004, 2010, 2304],
    ],
    'POST /api/v2/node/ctl': [
      'Starts or stops a node. A plugin that refuses to start may add codes of its own.',
      done,
      [2003, 2004, 2006, 2007, 2008, 2009, 2010, 2304],
    ],
    'GET /api/v2/node/state': [
      'Shows the state of one node or of all.',
      ['StatesReply', 'StateReply', 'FlatStateReply'],
      [2003],
    ],
  },
  Groups: {
    'GET /api/v2/group': [
      'Lists the groups of a driver or of all drivers.',
      ['GroupsReply', 'AllGroupsReply'],
      [2003, 2010, 2103],
    ],
    'POST /api/v2/group': ['Adds a group.', done, [...nameCodes, 2003, 2103, 2104, 2105]],
    'PUT /api/v2/group': [
      'Renames a group, changes its interval or both.',
      done,
      [...nameCodes, 2003, 2103, 2104, 2105, 2106],
    ],
    'DELETE /api/v2/group': ['Deletes a group and its tags.', done, [...nameCodes, 2003, 2101, 2103, 2106]],
  },
  Tags: {
    'GET /api/v2/tags': ['Lists the tags of a group.', ['TagsReply'], [...nameCodes, 2003, 2103, 2106]],
    'POST /api/v2/tags': [
      'Adds tags up to the first bad one; makes the group when it is missing.',
      ['TagsBatchReply'],
      [...nameCodes, 2003, 2103, 2202, 2304, 2405, ...tagCodes],
    ],
    'PUT /api/v2/tags': [
      'Replaces tags up to the first bad one.',
      ['TagsBatchReply'],
      [...nameCodes, 2003, 2103, 2106, 2201, 2202, 2304, ...tagCodes],
    ],
    'POST /api/v2/gtags': [
      'Adds tags to several groups, or none when one is bad; makes the groups that are missing.',
      ['TagsBatchReply'],
      [...nameCodes, 2003, 2103, 2104, 2105, 2202, 2304, 2405, ...tagCodes],
    ],
    'PUT /api/v2/tag/rename': [
      'Renames a tag; its place and its value stay.',
      done,
      [1003, ...nameCodes, 2003, 2103, 2106, 2201, 2202, 2206],
    ],
    'DELETE /api/v2/tags': ['Deletes tags.', done, [...nameCodes, 2003, 2103, 2106, 2201]],
    'POST /api/v2/scan/tags': [
      'Lists what a device has at one place, page by page.',
      ['ScanReply'],
      [...nameCodes, 2003, 2103, 3000, 3002, 3010, 3015, 3021],
    ],
  },
  'Reading and writing': {
    'POST /api/v2/scan/tags': [
      'Asks a driver which tags its device has, page by page.',
      ['ScanReply'],
      [2003, 2010, 2103, 3000, 3002, 3010, 3021],
    ],
    'POST /api/v2/read': [
      'Reads the tags of a group, the latest values or the device.',
      ['ReadReply'],
      [...nameCodes, 2003, 2103, 2106],
    ],
    'POST /api/v2/read/paginate': [
      'Reads the tags of a group page by page, with all that is known of them.',
      ['PaginateReply'],
      [...nameCodes, 2003, 2103, 2106],
    ],
    'POST /api/v2/read/test': [
      'Reads a tag that need not exist, without scaling and byte order. A driver may add codes of its own.',
      ['TestReadReply'],
      [...nameCodes, 2003, 2103, 2203, 2204, 2205, 2206, 2207, 2304, ...testCodes],
    ],
    'POST /api/v2/write': [
      'Writes one tag and answers when the device has.',
      done,
      [...nameCodes, 2003, 2103, 2106, 2201, 2206, ...writeCodes],
    ],
    'POST /api/v2/write/tags': [
      'Writes several tags of a group, or none when one is bad.',
      done,
      [...nameCodes, 2003, 2103, 2106, 2201, 2206, 3017, ...writeCodes],
    ],
    'POST /api/v2/write/gtags': [
      'Writes tags of several groups of a driver, or none when one is bad.',
      done,
      [...nameCodes, 2003, 2103, 2106, 2201, 2206, 3017, ...writeCodes],
    ],
  },
  Plugins: {
    'GET /api/v2/plugin': ['Lists the plugins.', ['PluginsReply'], []],
    'POST /api/v2/plugin': [
      'Installs a library, or another version of one, while everything else goes on.',
      ['LibraryReply'],
      libraryCodes,
    ],
    'PUT /api/v2/plugin': [
      'Replaces an installed library by another one, of the same version too.',
      ['LibraryReply'],
      [2301, ...libraryCodes],
    ],
    'DELETE /api/v2/plugin': ['Removes a library that a user installed.', done, [2306, 2309]],
    'GET /api/v2/schema': ['Shows the schema of the settings of a plugin.', ['SchemaReply'], [3014]],
  },
  Subscriptions: {
    'GET /api/v2/subscribe': ['Lists the groups that an app subscribes to.', ['SubscriptionsReply'], []],
    'GET /api/v2/subscribes': [
      'Lists the groups of drivers, and whether an app subscribes to them.',
      ['SubscribableReply'],
      [2003, 2012],
    ],
    'POST /api/v2/subscribe': [
      'Subscribes an app to a group.',
      done,
      [...nameCodes, 2003, 2012, 2101, 2105, 2106, 2304],
    ],
    'POST /api/v2/subscribes': [
      'Subscribes an app to groups, up to the first that is refused.',
      done,
      [...nameCodes, 2003, 2012, 2101, 2105, 2106, 2304],
    ],
    'PUT /api/v2/subscribe': [
      'Changes the parameters of a subscription.',
      done,
      [...nameCodes, 2003, 2012, 2105, 2106, 2304],
    ],
    'DELETE /api/v2/subscribe': ['Ends a subscription.', done, [...nameCodes, 2003, 2106]],
  },
  'Export and import': {
    'GET /api/v2/global/config': ['Gives the whole configuration.', ['ConfigReply'], []],
    'PUT /api/v2/global/config': [
      'Replaces the whole configuration, or nothing when something is wrong with it.',
      done,
      [...importCodes, 2012],
    ],
    'GET /api/v2/global/drivers': [
      'Gives drivers with their settings, groups and tags.',
      ['DriversReply'],
      [],
    ],
    'PUT /api/v2/global/drivers': [
      'Adds drivers or replaces those of the same names, or nothing when something is wrong with one.',
      done,
      [...importCodes, 2002, 2108, 3019],
    ],
  },
  Templates: {
    'GET /api/v2/template': [
      'Lists the templates, or shows one.',
      ['TemplatesReply', 'TemplateReply'],
      [2501],
    ],
    'POST /api/v2/template': [
      'Adds a template as a whole.',
      done,
      [2104, 2105, 2107, 2202, 2304, 2500, 2502, 3013, 3014, 3016, ...tagCodes],
    ],
    'DELETE /api/v2/template': ['Deletes one template, or all.', done, [1010, 2501]],
    'POST /api/v2/template/inst': ['Makes a driver node of a template.', done, instanceCodes],
    'POST /api/v2/template/instances': [
      'Makes driver nodes of templates, or none when one is refused.',
      done,
      instanceCodes,
    ],
    'GET /api/v2/template/group': ['Lists the groups of a template.', ['GroupsReply'], [2501]],
    'POST /api/v2/template/group': ['Adds a group to a template.', done, [2104, 2105, 2107, 2501, 2502]],
    'PUT /api/v2/template/group': [
      'Renames a group of a template, changes its interval or both.',
      done,
      [2104, 2105, 2106, 2107, 2501, 2502],
    ],
    'DELETE /api/v2/template/group': [
      'Deletes a group of a template and its tags.',
      done,
      [2106, 2107, 2501, 2502],
    ],
    'GET /api/v2/template/tag': ['Lists the tags of a group of a template.', ['TagsReply'], [2106, 2501]],
    'POST /api/v2/template/tag': [
      'Adds tags to a template up to the first bad one.',
      ['TagsBatchReply'],
      [2106, 2107, 2202, 2301, 2304, 2501, 2502, ...tagCodes],
    ],
    'PUT /api/v2/template/tag': [
      'Replaces tags of a template up to the first bad one.',
      ['TagsBatchReply'],
      [2106, 2107, 2201, 2301, 2304, 2501, 2502, ...tagCodes],
    ],
    'DELETE /api/v2/template/tag': [
      'Deletes tags of a template; missing ones are no error.',
      done,
      [2106, 2107, 2206, 2501, 2502],
    ],
  },
  Users: {
    'GET /api/v2/users': ['Lists the users.', ['UsersReply'], []],
    'POST /api/v2/users': ['Adds a user; only the first user may.', done, [1012, 1019, 1021, 1022]],
    'PUT /api/v2/users': [
      'Sets the password of a user, who or the first user may.',
      done,
      [1012, 1013, 1020, 1022],
    ],
    'DELETE /api/v2/users': ['Deletes a user; only the first user may, and stays.', done, [1020, 1022]],
  },
  'Operations and information': {
    'GET /api/v2/status': ['Says that everything is loaded.', ['StatusReply'], []],
    'GET /api/v2/version': ['Says what was built when.', ['VersionReply'], []],
    'POST /api/v2/license': ['Puts a license in force.', done, [2401, 2402, 2406]],
    'GET /api/v2/license': [
      'Shows the license, or for which machine one is needed.',
      ['LicenseReply', 'NoLicenseReply'],
      [2400],
    ],
    'GET /api/v2/logs': [
      'Gives the log folder as a gzipped tar archive.',
      { type: 'application/octet-stream' },
      [1011, 1014],
    ],
    'GET /api/v2/log': ['Gives a page of the lines of the log of some time.', ['LogReply'], [1010]],
    'PUT /api/v2/log/level': [
      'Changes the log level of a node, of the gateway itself or of both.',
      done,
      [1003, 2003, 2010],
    ],
    'GET /api/v2/file/info': ['Lists what a folder holds.', ['FilesReply'], [1011, 4101]],
    'GET /api/v2/metrics': [
      'Gives metrics in the Prometheus text format.',
      { type: 'text/plain; version=0.0.4; charset=utf-8' },
      [2003],
    ],
    'GET /api/v2/openapi.json': ['Gives this document.', { type: 'application/json' }, []],
    'GET /api': ['Shows this document as a page.', { type: 'text/html; charset=utf-8' }, []],
  },
};

/** By endpoint, in the order in which the document lists them. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  Object.entries(parts).flatMap(([part, rows]) =>
    Object.entries(rows).map(([endpoint, [summary, reply, codes]]) => [
      endpoint,
      { part, summary, reply, codes },
    ]),
  ),
);
