import {
  DataType,
  type FleetGateway,
  type LdapSettings,
  NodeType,
  type OidcSettings,
  type Registry,
  type RoleOfValue,
  roles,
  RunningState,
  type SignInSettings,
  type TrustRenewal,
} from '@tagway/schemas';
import type { GivenGroup, NodeProfile, TagBody } from '../model.ts';
import { isBoolean, isNumber, isObject, isText, membersOf, oneOf, optional } from '../system/shapes.ts';
import type {
  FleetRecord,
  GroupRecord,
  MachineTokenRecord,
  NodeRecord,
  PluginPermissionRecord,
  NameSeparatorRecord,
  RegistriesRecord,
  SignInRecord,
  SourceRecord,
  SubscriptionRecord,
  TemplateGroupRecord,
  TemplateRecord,
  UserRecord,
} from './records.ts';

/** The number at the end of a record's key; NaN where the key ends otherwise. */
export function idOf(key: string): number {
  return Number(key.slice(key.lastIndexOf('/') + 1));
}

export function isId(thing: unknown): thing is number {
  return Number.isSafeInteger(thing) && Number(thing) > 0;
}

const isGivenGroup = membersOf<GivenGroup>({
  name: isText,
  interval: isNumber,
  tags: (thing) => Array.isArray(thing) && thing.every((tag) => isTagRecord(tag)),
});

const isNodeProfile = membersOf<NodeProfile>({
  id: isText,
  version: isText,
  package: optional(isText),
  parameters: (thing) => isObject(thing) && Object.values(thing).every(isNumber),
  settings: isObject,
  groups: (thing) => Array.isArray(thing) && thing.every(isGivenGroup),
});

export const isNodeRecord = membersOf<NodeRecord>({
  name: isText,
  plugin: isText,
  pluginName: isText,
  type: oneOf(Object.values(NodeType)),
  running: oneOf(Object.values(RunningState)),
  params: optional(isObject),
  profile: optional(isNodeProfile),
});

const pace = {
  report: optional(oneOf(['change', 'always'] as const)),
  min_interval: optional(isId),
  max_interval: optional(isId),
};

export const isGroupRecord = membersOf<GroupRecord>({
  node: isId,
  name: isText,
  interval: isId,
  history: optional(isId),
  ...pace,
});

export const isTagRecord = membersOf<Omit<TagBody, 'isBits'>>({
  name: isText,
  address: isText,
  attribute: isNumber,
  type: oneOf(Object.values(DataType)),
  precision: optional(isNumber),
  decimal: optional(isNumber),
  bias: optional(isNumber),
  description: optional(isText),
  deadband: optional((value): value is number | string => isNumber(value) || isText(value)),
  unit: optional(isText),
  low: optional(isNumber),
  high: optional(isNumber),
  value: () => true,
});

export const isSubscriptionRecord = membersOf<SubscriptionRecord>({
  app: isId,
  group: isId,
  params: optional(isObject),
});

export const isTemplateRecord = membersOf<TemplateRecord>({
  name: isText,
  plugin: isText,
  pluginName: isText,
});

export const isTemplateGroupRecord = membersOf<TemplateGroupRecord>({
  template: isId,
  name: isText,
  interval: isId,
  history: optional(isId),
  ...pace,
});

export const isUserRecord = membersOf<UserRecord>({
  hash: isText,
  salt: isText,
  isDefault: oneOf([undefined, true]),
  role: optional(oneOf(roles)),
  generation: optional(isText),
  spared: optional(isText),
});

export const isMachineTokenRecord = membersOf<MachineTokenRecord>({
  hash: isText,
  role: oneOf(roles),
  created: isNumber,
  expires: isNumber,
});

export const isPluginPermissionRecord = membersOf<PluginPermissionRecord>({ logins: isBoolean });

export const isNameSeparatorRecord = membersOf<NameSeparatorRecord>({ text: isText });

const isRegistry = membersOf<Pick<Registry, 'url' | 'scope'>>({ url: isText, scope: optional(isText) });

export const isRegistriesRecord = membersOf<RegistriesRecord>({
  params: membersOf<RegistriesRecord['params']>({
    registries: (thing) => Array.isArray(thing) && thing.every(isRegistry),
    look_every: optional(isNumber),
    trust_renewal: optional(
      membersOf<TrustRenewal>({ enabled: isBoolean, url: optional(isText), root: optional(isText) }),
    ),
  }),
});

const isFleetGateway = membersOf<FleetGateway>({
  name: isText,
  // The page makes a link of it.
  url: (thing) => isText(thing) && /^https?:/.test(thing) && URL.canParse(thing),
  // A token that no key opens is an object.
  token: (thing) => isText(thing) || isObject(thing),
  ca: optional(isText),
});

export const isFleetRecord = membersOf<FleetRecord>({
  params: membersOf<FleetRecord['params']>({
    gateways: (thing) => Array.isArray(thing) && thing.every(isFleetGateway),
  }),
});

/** A secret that no key opens is an object. */
const isSecret = (thing: unknown): boolean => isText(thing) || isObject(thing);

const areRoles = (thing: unknown): boolean =>
  Array.isArray(thing) && thing.every(membersOf<RoleOfValue>({ value: isText, role: oneOf(roles) }));

const isLdap = membersOf<LdapSettings>({
  url: (thing) => isText(thing) && URL.canParse(thing),
  ca: optional(isText),
  user_dn: optional(isText),
  base: optional(isText),
  user_attribute: optional(isText),
  bind_dn: optional(isText),
  bind_password: (thing) => thing === undefined || isSecret(thing),
  group_base: optional(isText),
  roles: areRoles,
});

const isOidc = membersOf<OidcSettings>({
  issuer: (thing) => isText(thing) && URL.canParse(thing),
  label: optional(isText),
  client_id: isText,
  client_secret: (thing) => thing === undefined || isSecret(thing),
  audience: optional(isText),
  scopes: optional(isText),
  user_claim: optional(isText),
  role_claim: optional(isText),
  roles: areRoles,
  pages: (thing) => thing === undefined || (Array.isArray(thing) && thing.every(isText)),
  ca: optional(isText),
  clock_skew: optional(isNumber),
});

export const isSourceRecord = membersOf<SourceRecord>({
  of: isText,
  commit: isText,
  time: isNumber,
  committed: optional(isNumber),
  author: optional(isText),
  subject: optional(isText),
  stopped: (thing) => Array.isArray(thing) && thing.every(isText),
});

export const isSignInRecord = membersOf<SignInRecord>({
  params: membersOf<SignInSettings>({ ldap: optional(isLdap), oidc: optional(isOidc) }),
});
