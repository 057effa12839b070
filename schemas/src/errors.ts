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

/** A row whose code and name are part of its type. */
const row = <const Code extends number, const Name extends string>(
  code: Code,
  name: Name,
  status: number,
  meaning: string,
) => ({ code, name, status, meaning }) as const;

export const errorTable = [
  row(0, 'SUCCESS', 200, 'The request succeeded.'),
  row(1001, 'INTERNAL', 500, 'An internal error occurred.'),
  row(1002, 'BODY_INVALID', 400, 'The request body is malformed or incomplete.'),
  row(1003, 'PARAM_INVALID', 400, 'A request parameter is invalid.'),
  row(1004, 'TOKEN_MISSING', 401, 'The request carries no bearer token.'),
  row(1005, 'TOKEN_UNDECODABLE', 401, 'The token cannot be decoded or its signature is not known.'),
  row(1006, 'TOKEN_EXPIRED', 403, 'The token has expired.'),
  row(1007, 'TOKEN_NOT_VALID', 403, "The token's claims are not valid."),
  row(1008, 'TOKEN_INVALID', 403, 'The token is invalid.'),
  row(1009, 'CREDENTIALS_INVALID', 401, 'The user name or the password is wrong.'),
  row(1010, 'BUSY', 500, 'The server is busy.'),
  row(1011, 'FILE_NOT_FOUND', 404, 'The file does not exist.'),
  row(1012, 'PASSWORD_LENGTH', 400, 'The password is too short or too long.'),
  row(1013, 'PASSWORD_DUPLICATE', 400, 'The new password equals the old one.'),
  row(1014, 'COMMAND_FAILED', 404, 'The command could not be executed.'),
  row(1017, 'BODY_TOO_BIG', 400, 'The request body is too big.'),
  row(1018, 'CID_INVALID', 400, 'The CID file is invalid.'),
  row(1019, 'USER_EXISTS', 400, 'The user exists already.'),
  row(1020, 'USER_NOT_FOUND', 400, 'The user does not exist.'),
  row(1021, 'USER_NAME_LENGTH', 400, 'The user name is too short or too long.'),
  row(1022, 'USER_NOT_PERMITTED', 403, 'The user may not do this.'),
  row(2001, 'NODE_TYPE_INVALID', 400, 'The node type is invalid.'),
  row(2002, 'NODE_EXISTS', 409, 'A node of this name exists already.'),
  row(2003, 'NODE_NOT_FOUND', 404, 'The node does not exist.'),
  row(2004, 'NODE_SETTING_INVALID', 400, "The node's settings are invalid."),
  row(2005, 'NODE_SETTING_NOT_FOUND', 200, 'The node has no settings yet.'),
  row(2006, 'NODE_NOT_READY', 409, 'The node is not ready: it has no settings yet.'),
  row(2007, 'NODE_IS_RUNNING', 409, 'The node is running.'),
  row(2008, 'NODE_NOT_RUNNING', 409, 'The node is not running.'),
  row(2009, 'NODE_IS_STOPPED', 409, 'The node is stopped.'),
  row(2010, 'NODE_NAME_TOO_LONG', 400, 'The node name is too long.'),
  row(2011, 'NODE_NOT_DELETABLE', 409, 'The node may not be deleted.'),
  row(2012, 'NODE_NOT_SUBSCRIBABLE', 400, 'The node may not subscribe.'),
  row(2013, 'NODE_NOT_UPDATABLE', 400, 'The node may not be changed.'),
  row(2014, 'NODE_NOT_MAPPABLE', 400, 'The node may not be mapped.'),
  row(2015, 'NODE_NAME_EMPTY', 400, 'The node name is empty.'),
  row(2101, 'GROUP_SUBSCRIBED', 412, 'The group is subscribed.'),
  row(2102, 'GROUP_NOT_SUBSCRIBED', 404, 'The group is not subscribed.'),
  row(2103, 'GROUP_NOT_ALLOWED', 409, 'The node cannot have groups.'),
  row(2104, 'GROUP_EXISTS', 409, 'A group of this name exists already.'),
  row(2105, 'GROUP_PARAM_INVALID', 400, 'A parameter of the group is invalid.'),
  row(2106, 'GROUP_NOT_FOUND', 404, 'The group does not exist.'),
  row(2107, 'GROUP_NAME_TOO_LONG', 400, 'The group name is too long.'),
  row(2108, 'GROUP_LIMIT', 400, 'The node has the most groups it may have.'),
  row(2201, 'TAG_NOT_FOUND', 404, 'The tag does not exist.'),
  row(2202, 'TAG_NAME_CONFLICT', 409, 'A tag of this name exists already.'),
  row(2203, 'TAG_ATTRIBUTE_UNSUPPORTED', 400, "The tag's attribute is not supported."),
  row(2204, 'TAG_TYPE_UNSUPPORTED', 400, "The tag's type is not supported."),
  row(2205, 'TAG_ADDRESS_INVALID', 400, "The tag's address is invalid."),
  row(2206, 'TAG_NAME_TOO_LONG', 400, "The tag's name is too long."),
  row(2207, 'TAG_ADDRESS_TOO_LONG', 400, "The tag's address is too long."),
  row(2208, 'TAG_DESCRIPTION_TOO_LONG', 400, "The tag's description is too long."),
  row(2209, 'TAG_PRECISION_INVALID', 400, "The tag's precision is invalid."),
  row(2211, 'TAG_DECIMAL_INVALID', 400, "The tag's decimal is invalid."),
  row(2212, 'TAG_BIAS_INVALID', 400, "The tag's bias is invalid."),
  row(2301, 'LIBRARY_NOT_FOUND', 404, 'The library does not exist.'),
  row(2302, 'LIBRARY_INFO_INVALID', 400, "The library's description of itself is invalid."),
  row(2303, 'LIBRARY_NAME_CONFLICT', 409, 'A library of this name exists already.'),
  row(2304, 'LIBRARY_OPEN_FAILED', 400, 'The library could not be opened.'),
  row(2305, 'LIBRARY_MODULE_INVALID', 400, "The library's module is invalid."),
  row(2306, 'LIBRARY_SYSTEM', 400, 'A library of the system may not be deleted.'),
  row(2307, 'LIBRARY_NO_INSTANCE', 409, 'The library may not create another instance.'),
  row(2308, 'LIBRARY_ARCH_UNSUPPORTED', 400, 'The library is not for this architecture.'),
  row(2309, 'LIBRARY_IN_USE', 409, 'The library is in use.'),
  row(2310, 'LIBRARY_ADD_FAILED', 400, 'The library could not be added.'),
  row(2311, 'MODULE_EXISTS', 409, 'A module of this name exists already.'),
  row(2312, 'MODULE_NOT_FOUND', 400, 'The module does not exist.'),
  row(2313, 'MODULE_KIND_UNSUPPORTED', 400, "The module's kind is not supported."),
  row(2314, 'MODULE_VERSION_MISMATCH', 400, 'The module is for another version of the SDK.'),
  row(2315, 'LIBRARY_NAME_INVALID', 400, "The library's file name is invalid."),
  row(2316, 'LIBRARY_LIBC_MISMATCH', 400, 'The library is for another C library.'),
  row(2317, 'LIBRARY_UPDATE_FAILED', 400, 'The library could not be updated.'),
  row(2400, 'LICENSE_NOT_FOUND', 404, 'There is no license.'),
  row(2401, 'LICENSE_INVALID', 400, 'The license is invalid.'),
  row(2402, 'LICENSE_EXPIRED', 200, 'The license has expired.'),
  row(2403, 'LICENSE_DISABLED', 200, 'The license does not include this plugin.'),
  row(2404, 'LICENSE_MAX_NODES', 200, 'The license allows no more nodes.'),
  row(2405, 'LICENSE_MAX_TAGS', 200, 'The license allows no more tags.'),
  row(2406, 'LICENSE_TOKEN_MISMATCH', 200, 'The license is for another machine.'),
  row(2500, 'TEMPLATE_EXISTS', 409, 'A template of this name exists already.'),
  row(2501, 'TEMPLATE_NOT_FOUND', 404, 'The template does not exist.'),
  row(2502, 'TEMPLATE_NAME_TOO_LONG', 400, 'The template name is too long.'),
  row(3000, 'READ_FAILED', 200, 'The device or the driver could not read the tag.'),
  row(3001, 'WRITE_FAILED', 200, 'The device or the driver refused the write.'),
  row(3002, 'DISCONNECTED', 200, 'The driver is not connected to its device.'),
  row(3003, 'TAG_NOT_READABLE', 200, 'The tag may not be read.'),
  row(3004, 'TAG_NOT_WRITABLE', 200, 'The tag may not be written.'),
  row(3007, 'TYPE_MISMATCH', 200, "The value's type does not fit the tag's type."),
  row(3008, 'VALUE_EXPIRED', 200, 'The value is too old or is not a number.'),
  row(3009, 'DECODE_FAILED', 200, "The device's reply could not be decoded."),
  row(3010, 'NOT_RUNNING', 200, 'The node is not running.'),
  row(3011, 'NOT_READY', 200, 'The tag has no value yet.'),
  row(3012, 'OUT_OF_ORDER', 200, "The device's reply is out of order."),
  row(3013, 'PLUGIN_NAME_TOO_LONG', 400, 'The plugin name is too long.'),
  row(3014, 'PLUGIN_NOT_FOUND', 404, 'The plugin does not exist.'),
  row(3015, 'NO_RESPONSE', 200, 'The device does not respond.'),
  row(3016, 'TEMPLATES_UNSUPPORTED', 400, 'The plugin does not support templates.'),
  row(3017, 'WRITE_TAGS_UNSUPPORTED', 404, 'The driver cannot write several tags at once.'),
  row(3018, 'SYNC_READ_UNSUPPORTED', 200, 'The driver cannot read on demand.'),
  row(3019, 'PLUGIN_TYPE_UNSUPPORTED', 400, "The plugin's type is not supported."),
  row(3020, 'VALUE_OUT_OF_RANGE', 200, "The value is out of the tag's range."),
  row(3021, 'SCAN_UNSUPPORTED', 200, 'The driver cannot scan for tags.'),
  row(3022, 'TEST_READ_UNSUPPORTED', 200, 'The driver cannot test a read.'),
  row(4000, 'MQTT_FAILURE', 200, 'The MQTT client failed.'),
  row(4007, 'MQTT_PUBLISH_FAILED', 200, 'The message could not be published.'),
  row(4010, 'MQTT_TOPIC_EMPTY', 200, 'The topic is empty.'),
  row(4100, 'STRING_TOO_LONG', 200, 'The string is too long.'),
  row(4101, 'FILE_OPEN_FAILED', 404, 'The file could not be opened.'),
  row(4102, 'FILE_READ_FAILED', 404, 'The file could not be read.'),
  row(4103, 'FILE_WRITE_FAILED', 200, 'The file could not be written.'),
  row(9001, 'REVISION_STALE', 412, 'What is to be changed is not as it was when it was looked at.'),
  row(9002, 'STANDBY', 409, 'This gateway is the standby of a pair: ask the active one.'),
  row(9003, 'TRACE_UNSUPPORTED', 400, 'The node has no frames or messages to trace.'),
  row(9004, 'TRACE_RUNNING', 409, 'The node is traced already.'),
  row(9005, 'TAG_DEADBAND_INVALID', 400, "The tag's deadband is invalid."),
  row(9006, 'TAG_UNIT_INVALID', 400, "The tag's unit is invalid."),
  row(9007, 'TAG_SPAN_INVALID', 400, "The tag's low or high is invalid."),
  row(9020, 'REGISTRY_UNREACHABLE', 502, 'The registry cannot be reached, or does not answer in time.'),
  row(9021, 'REGISTRY_LOGIN_REFUSED', 502, 'The registry does not take the credentials, or asks for some.'),
  row(9022, 'PACKAGE_NOT_FOUND', 404, 'The registry has no such package or version.'),
  row(9023, 'REGISTRY_WITHOUT_SEARCH', 404, 'No registry that is set takes a search.'),
  row(9024, 'PACKAGE_UNFIT', 409, 'The package does not fit this gateway or this machine.'),
  row(
    9025,
    'PACKAGE_UNTRUSTED',
    409,
    'The package is not what the registry, a signature or an attestation says, or has none.',
  ),
  row(9026, 'PLUGIN_FROM_ELSEWHERE', 409, 'A plugin of this id is installed from elsewhere.'),
  row(
    9027,
    'PACKAGE_CAUTIONS',
    409,
    'Something about the package has changed that has to be accepted first.',
  ),
  row(
    9028,
    'REGISTRY_REPLY_INVALID',
    502,
    'What the registry answered is not what a registry answers, or is too much.',
  ),
  row(9029, 'ADDRESS_REFUSED', 409, 'The registry leads to an address that it may not lead to.'),
  row(9030, 'JOB_NOT_FOUND', 404, 'The job does not exist, or ended long ago.'),
  row(9031, 'JOB_NOT_CANCELLABLE', 409, 'The job installs already, or is over.'),
  row(9040, 'HISTORY_NOT_KEPT', 409, 'No history of the tag is kept.'),
  row(9041, 'HISTORY_GAP', 200, 'The history has nothing of this time.'),
  row(9050, 'CERTIFICATE_NOT_FOUND', 404, 'The node has no such certificate.'),
  row(9070, 'PROFILE_NOT_FOUND', 404, 'The device profile does not exist.'),
  row(9071, 'PROFILE_INVALID', 400, 'The device profile is not what a profile must be.'),
  row(9072, 'PROFILE_SYSTEM', 409, 'The device profile comes with the gateway and cannot be deleted.'),
  row(9073, 'PROFILE_PLUGIN_MISSING', 409, 'No plugin that the device profile is for is installed.'),
  row(9074, 'PROFILE_CONFLICTS', 409, 'Somebody has to decide about differences first.'),
  row(9075, 'NODE_WITHOUT_PROFILE', 409, 'The node was not made of a device profile.'),
  row(9076, 'DISCOVERY_FAILED', 409, 'The device does not say what it has as the device profile expects.'),
  row(9110, 'GATEWAY_UNREACHABLE', 502, 'The other gateway cannot be reached, or does not answer in time.'),
  row(9111, 'GATEWAY_LOGIN_REFUSED', 502, 'The other gateway does not take the token.'),
  row(
    9112,
    'GATEWAY_REPLY_INVALID',
    502,
    'What the other gateway answered is not what a gateway answers, or is too much.',
  ),
  row(9120, 'CONFIG_MANAGED', 409, 'The configuration is pulled from a source, and is changed there.'),
  row(9121, 'WEBHOOK_REFUSED', 403, 'The call of a webhook does not know the secret.'),
  row(
    9122,
    'PROVIDER_UNREACHABLE',
    502,
    'The provider of the sign-in cannot be reached, or does not answer in time.',
  ),
  row(
    9123,
    'PROVIDER_REPLY_INVALID',
    502,
    'What the provider of the sign-in answered cannot be used, or is too much.',
  ),
  row(9124, 'SIGN_IN_REFUSED', 403, 'The sign-in with the provider was not carried through.'),
  row(9125, 'CONFIG_NOT_COMPARED', 409, 'The configuration cannot be compared with its source.'),
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
