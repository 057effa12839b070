/**
 * Every error code of the API: section 7 of the specification, the codes of the same family beside it, and from 9001 on those of Tagway's own.
 * `status` is the HTTP status of a reply with this code unless its endpoint says otherwise.
 * Codes 10000 to 20000 belong to plugins and travel at HTTP 200.
 */
export interface ErrorRow {
  readonly code: number;
  readonly name: string;
  readonly status: number;
  readonly meaning: string;
}

export const errorTable = [
  { code: 0, name: 'SUCCESS', status: 200, meaning: 'The request succeeded.' },
  { code: 1001, name: 'INTERNAL', status: 500, meaning: 'An internal error occurred.' },
  { code: 1002, name: 'BODY_INVALID', status: 400, meaning: 'The request body is malformed or incomplete.' },
  { code: 1003, name: 'PARAM_INVALID', status: 400, meaning: 'A request parameter is invalid.' },
  { code: 1004, name: 'TOKEN_MISSING', status: 401, meaning: 'The request carries no bearer token.' },
  {
    code: 1005,
    name: 'TOKEN_UNDECODABLE',
    status: 401,
    meaning: 'The token cannot be decoded or its signature is not known.',
  },
  { code: 1006, name: 'TOKEN_EXPIRED', status: 403, meaning: 'The token has expired.' },
  { code: 1007, name: 'TOKEN_NOT_VALID', status: 403, meaning: "The token's claims are not valid." },
  { code: 1008, name: 'TOKEN_INVALID', status: 403, meaning: 'The token is invalid.' },
  {
    code: 1009,
    name: 'CREDENTIALS_INVALID',
    status: 401,
    meaning: 'The user name or the password is wrong.',
  },
  { code: 1010, name: 'BUSY', status: 500, meaning: 'The server is busy.' },
  { code: 1011, name: 'FILE_NOT_FOUND', status: 404, meaning: 'The file does not exist.' },
  { code: 1012, name: 'PASSWORD_LENGTH', status: 400, meaning: 'The password is too short or too long.' },
  { code: 1013, name: 'PASSWORD_DUPLICATE', status: 400, meaning: 'The new password equals the old one.' },
  { code: 1014, name: 'COMMAND_FAILED', status: 404, meaning: 'The command could not be executed.' },
  { code: 1017, name: 'BODY_TOO_BIG', status: 400, meaning: 'The request body is too big.' },
  { code: 1018, name: 'CID_INVALID', status: 400, meaning: 'The CID file is invalid.' },
  { code: 1019, name: 'USER_EXISTS', status: 400, meaning: 'The user exists already.' },
  { code: 1020, name: 'USER_NOT_FOUND', status: 400, meaning: 'The user does not exist.' },
  { code: 1021, name: 'USER_NAME_LENGTH', status: 400, meaning: 'The user name is too short or too long.' },
  { code: 1022, name: 'USER_NOT_PERMITTED', status: 403, meaning: 'The user may not do this.' },
  { code: 2001, name: 'NODE_TYPE_INVALID', status: 400, meaning: 'The node type is invalid.' },
  { code: 2002, name: 'NODE_EXISTS', status: 409, meaning: 'A node of this name exists already.' },
  { code: 2003, name: 'NODE_NOT_FOUND', status: 404, meaning: 'The node does not exist.' },
  { code: 2004, name: 'NODE_SETTING_INVALID', status: 400, meaning: "The node's settings are invalid." },
  { code: 2005, name: 'NODE_SETTING_NOT_FOUND', status: 200, meaning: 'The node has no settings yet.' },
  {
    code: 2006,
    name: 'NODE_NOT_READY',
    status: 409,
    meaning: 'The node is not ready: it has no settings yet.',
  },
  { code: 2007, name: 'NODE_IS_RUNNING', status: 409, meaning: 'The node is running.' },
  { code: 2008, name: 'NODE_NOT_RUNNING', status: 409, meaning: 'The node is not running.' },
  { code: 2009, name: 'NODE_IS_STOPPED', status: 409, meaning: 'The node is stopped.' },
  { code: 2010, name: 'NODE_NAME_TOO_LONG', status: 400, meaning: 'The node name is too long.' },
  { code: 2011, name: 'NODE_NOT_DELETABLE', status: 409, meaning: 'The node may not be deleted.' },
  { code: 2012, name: 'NODE_NOT_SUBSCRIBABLE', status: 400, meaning: 'The node may not subscribe.' },
  { code: 2013, name: 'NODE_NOT_UPDATABLE', status: 400, meaning: 'The node may not be changed.' },
  { code: 2014, name: 'NODE_NOT_MAPPABLE', status: 400, meaning: 'The node may not be mapped.' },
  { code: 2015, name: 'NODE_NAME_EMPTY', status: 400, meaning: 'The node name is empty.' },
  { code: 2101, name: 'GROUP_SUBSCRIBED', status: 412, meaning: 'The group is subscribed.' },
  { code: 2102, name: 'GROUP_NOT_SUBSCRIBED', status: 404, meaning: 'The group is not subscribed.' },
  { code: 2103, name: 'GROUP_NOT_ALLOWED', status: 409, meaning: 'The node cannot have groups.' },
  { code: 2104, name: 'GROUP_EXISTS', status: 409, meaning: 'A group of this name exists already.' },
  { code: 2105, name: 'GROUP_PARAM_INVALID', status: 400, meaning: 'A parameter of the group is invalid.' },
  { code: 2106, name: 'GROUP_NOT_FOUND', status: 404, meaning: 'The group does not exist.' },
  { code: 2107, name: 'GROUP_NAME_TOO_LONG', status: 400, meaning: 'The group name is too long.' },
  { code: 2108, name: 'GROUP_LIMIT', status: 400, meaning: 'The node has the most groups it may have.' },
  { code: 2201, name: 'TAG_NOT_FOUND', status: 404, meaning: 'The tag does not exist.' },
  { code: 2202, name: 'TAG_NAME_CONFLICT', status: 409, meaning: 'A tag of this name exists already.' },
  {
    code: 2203,
    name: 'TAG_ATTRIBUTE_UNSUPPORTED',
    status: 400,
    meaning: "The tag's attribute is not supported.",
  },
  { code: 2204, name: 'TAG_TYPE_UNSUPPORTED', status: 400, meaning: "The tag's type is not supported." },
  { code: 2205, name: 'TAG_ADDRESS_INVALID', status: 400, meaning: "The tag's address is invalid." },
  { code: 2206, name: 'TAG_NAME_TOO_LONG', status: 400, meaning: "The tag's name is too long." },
  { code: 2207, name: 'TAG_ADDRESS_TOO_LONG', status: 400, meaning: "The tag's address is too long." },
  {
    code: 2208,
    name: 'TAG_DESCRIPTION_TOO_LONG',
    status: 400,
    meaning: "The tag's description is too long.",
  },
  { code: 2209, name: 'TAG_PRECISION_INVALID', status: 400, meaning: "The tag's precision is invalid." },
  { code: 2211, name: 'TAG_DECIMAL_INVALID', status: 400, meaning: "The tag's decimal is invalid." },
  { code: 2212, name: 'TAG_BIAS_INVALID', status: 400, meaning: "The tag's bias is invalid." },
  { code: 2301, name: 'LIBRARY_NOT_FOUND', status: 404, meaning: 'The library does not exist.' },
  {
    code: 2302,
    name: 'LIBRARY_INFO_INVALID',
    status: 400,
    meaning: "The library's description of itself is invalid.",
  },
  {
    code: 2303,
    name: 'LIBRARY_NAME_CONFLICT',
    status: 409,
    meaning: 'A library of this name exists already.',
  },
  { code: 2304, name: 'LIBRARY_OPEN_FAILED', status: 400, meaning: 'The library could not be opened.' },
  { code: 2305, name: 'LIBRARY_MODULE_INVALID', status: 400, meaning: "The library's module is invalid." },
  { code: 2306, name: 'LIBRARY_SYSTEM', status: 400, meaning: 'A library of the system may not be deleted.' },
  {
    code: 2307,
    name: 'LIBRARY_NO_INSTANCE',
    status: 409,
    meaning: 'The library may not create another instance.',
  },
  {
    code: 2308,
    name: 'LIBRARY_ARCH_UNSUPPORTED',
    status: 400,
    meaning: 'The library is not for this architecture.',
  },
  { code: 2309, name: 'LIBRARY_IN_USE', status: 409, meaning: 'The library is in use.' },
  { code: 2310, name: 'LIBRARY_ADD_FAILED', status: 400, meaning: 'The library could not be added.' },
  { code: 2311, name: 'MODULE_EXISTS', status: 409, meaning: 'A module of this name exists already.' },
  { code: 2312, name: 'MODULE_NOT_FOUND', status: 400, meaning: 'The module does not exist.' },
  {
    code: 2313,
    name: 'MODULE_KIND_UNSUPPORTED',
    status: 400,
    meaning: "The module's kind is not supported.",
  },
  {
    code: 2314,
    name: 'MODULE_VERSION_MISMATCH',
    status: 400,
    meaning: 'The module is for another version of the SDK.',
  },
  { code: 2315, name: 'LIBRARY_NAME_INVALID', status: 400, meaning: "The library's file name is invalid." },
  {
    code: 2316,
    name: 'LIBRARY_LIBC_MISMATCH',
    status: 400,
    meaning: 'The library is for another C library.',
  },
  { code: 2317, name: 'LIBRARY_UPDATE_FAILED', status: 400, meaning: 'The library could not be updated.' },
  { code: 2400, name: 'LICENSE_NOT_FOUND', status: 404, meaning: 'There is no license.' },
  { code: 2401, name: 'LICENSE_INVALID', status: 400, meaning: 'The license is invalid.' },
  { code: 2402, name: 'LICENSE_EXPIRED', status: 200, meaning: 'The license has expired.' },
  { code: 2403, name: 'LICENSE_DISABLED', status: 200, meaning: 'The license does not include this plugin.' },
  { code: 2404, name: 'LICENSE_MAX_NODES', status: 200, meaning: 'The license allows no more nodes.' },
  { code: 2405, name: 'LICENSE_MAX_TAGS', status: 200, meaning: 'The license allows no more tags.' },
  { code: 2406, name: 'LICENSE_TOKEN_MISMATCH', status: 200, meaning: 'The license is for another machine.' },
  { code: 2500, name: 'TEMPLATE_EXISTS', status: 409, meaning: 'A template of this name exists already.' },
  { code: 2501, name: 'TEMPLATE_NOT_FOUND', status: 404, meaning: 'The template does not exist.' },
  { code: 2502, name: 'TEMPLATE_NAME_TOO_LONG', status: 400, meaning: 'The template name is too long.' },
  {
    code: 3000,
    name: 'READ_FAILED',
    status: 200,
    meaning: 'The device or the driver could not read the tag.',
  },
  { code: 3001, name: 'WRITE_FAILED', status: 200, meaning: 'The device or the driver refused the write.' },
  { code: 3002, name: 'DISCONNECTED', status: 200, meaning: 'The driver is not connected to its device.' },
  { code: 3003, name: 'TAG_NOT_READABLE', status: 200, meaning: 'The tag may not be read.' },
  { code: 3004, name: 'TAG_NOT_WRITABLE', status: 200, meaning: 'The tag may not be written.' },
  {
    code: 3007,
    name: 'TYPE_MISMATCH',
    status: 200,
    meaning: "The value's type does not fit the tag's type.",
  },
  { code: 3008, name: 'VALUE_EXPIRED', status: 200, meaning: 'The value is too old or is not a number.' },
  { code: 3009, name: 'DECODE_FAILED', status: 200, meaning: "The device's reply could not be decoded." },
  { code: 3010, name: 'NOT_RUNNING', status: 200, meaning: 'The node is not running.' },
  { code: 3011, name: 'NOT_READY', status: 200, meaning: 'The tag has no value yet.' },
  { code: 3012, name: 'OUT_OF_ORDER', status: 200, meaning: "The device's reply is out of order." },
  { code: 3013, name: 'PLUGIN_NAME_TOO_LONG', status: 400, meaning: 'The plugin name is too long.' },
  { code: 3014, name: 'PLUGIN_NOT_FOUND', status: 404, meaning: 'The plugin does not exist.' },
  { code: 3015, name: 'NO_RESPONSE', status: 200, meaning: 'The device does not respond.' },
  {
    code: 3016,
    name: 'TEMPLATES_UNSUPPORTED',
    status: 400,
    meaning: 'The plugin does not support templates.',
  },
  {
    code: 3017,
    name: 'WRITE_TAGS_UNSUPPORTED',
    status: 404,
    meaning: 'The driver cannot write several tags at once.',
  },
  { code: 3018, name: 'SYNC_READ_UNSUPPORTED', status: 200, meaning: 'The driver cannot read on demand.' },
  {
    code: 3019,
    name: 'PLUGIN_TYPE_UNSUPPORTED',
    status: 400,
    meaning: "The plugin's type is not supported.",
  },
  { code: 3020, name: 'VALUE_OUT_OF_RANGE', status: 200, meaning: "The value is out of the tag's range." },
  { code: 3021, name: 'SCAN_UNSUPPORTED', status: 200, meaning: 'The driver cannot scan for tags.' },
  { code: 3022, name: 'TEST_READ_UNSUPPORTED', status: 200, meaning: 'The driver cannot test a read.' },
  { code: 4000, name: 'MQTT_FAILURE', status: 200, meaning: 'The MQTT client failed.' },
  { code: 4007, name: 'MQTT_PUBLISH_FAILED', status: 200, meaning: 'The message could not be published.' },
  { code: 4010, name: 'MQTT_TOPIC_EMPTY', status: 200, meaning: 'The topic is empty.' },
  { code: 4100, name: 'STRING_TOO_LONG', status: 200, meaning: 'The string is too long.' },
  { code: 4101, name: 'FILE_OPEN_FAILED', status: 404, meaning: 'The file could not be opened.' },
  { code: 4102, name: 'FILE_READ_FAILED', status: 404, meaning: 'The file could not be read.' },
  { code: 4103, name: 'FILE_WRITE_FAILED', status: 200, meaning: 'The file could not be written.' },
  {
    code: 9001,
    name: 'REVISION_STALE',
    status: 412,
    meaning: 'What is to be changed is not as it was when it was looked at.',
  },
  {
    code: 9002,
    name: 'STANDBY',
    status: 409,
    meaning: 'This gateway is the standby of a pair: ask the active one.',
  },
] as const satisfies readonly ErrorRow[];

type Row = (typeof errorTable)[number];

export type ErrorName = Row['name'];

/** Codes by name: `ErrorCode.DISCONNECTED` is 3002. */
export const ErrorCode = Object.fromEntries(errorTable.map((row) => [row.name, row.code])) as {
  readonly [Name in ErrorName]: Extract<Row, { name: Name }>['code'];
};

const rows = new Map<number, ErrorRow>(errorTable.map((row) => [row.code, row]));

/** The table's row of a code, or undefined for a code of a plugin's own. */
export function errorRow(code: number): ErrorRow | undefined {
  return rows.get(code);
}

/** A sentence for a code; for a plugin's own codes, the number. */
export function errorMeaning(code: number): string {
  return rows.get(code)?.meaning ?? `The plugin reports its own error ${code}.`;
}
