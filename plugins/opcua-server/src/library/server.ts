import type { TrustList } from '@tagway/opcua-pki';
import { MessageSecurityMode, SecurityPolicy } from 'node-opcua-secure-channel';
import { OPCUAServer, type OPCUAServerOptions } from 'node-opcua-server';
import { CreateMonitoredItemsRequest, ModifyMonitoredItemsRequest, UserTokenType } from 'node-opcua-types';
import type { MonitoringParameters, RequestHeader } from 'node-opcua-types';
import { AttributeIds } from 'node-opcua-data-model';
import type { OwnKeyPair, ServerNames } from '../security/own-certificate.ts';
import type { UserCertificates } from '../security/user-certificates.ts';
import type { Users } from '../security/users.ts';
import { CertificateUsers, hostsOf, SecurityModes, type Settings } from '../settings.ts';
import manifest from '../../package.json' with { type: 'json' };
import { keepItemsLean } from './lean-items.ts';
import { standardNodeset } from './nodeset.ts';
import { markOverflowOfAnyStatus } from './overflow.ts';
import { boundQueuedValues } from './queued-values.ts';

/** Bytes of one message, and of the texts, bytes and arrays in it. */
const messageMost = 16 * 1024 * 1024;
const chunkMost = 65_536;
/** Nodes, items or operations of one request. */
const operationsMost = 10_000;
/** Connections beside those of the sessions, such as of clients that only look for endpoints. */
const furtherConnections = 20;

const valueAttribute: number = AttributeIds.Value;

export interface ServerParts {
  readonly node: string;
  readonly settings: Settings;
  readonly names: ServerNames;
  readonly keyPair: OwnKeyPair;
  readonly clients: TrustList;
  readonly certificates: UserCertificates;
  readonly users: Users;
}

/** Makes the library's server as the settings say. Nothing listens yet. */
export async function makeServer(parts: ServerParts): Promise<OPCUAServer> {
  const { settings, names, node, users } = parts;
  const hosts = hostsOf(settings);
  const advertised = typeof hosts === 'string' ? [] : hosts;
  const { None, Sign, SignAndEncrypt } = MessageSecurityMode;
  const { Basic256Sha256, Aes128_Sha256_RsaOaep, Aes256_Sha256_RsaPss } = SecurityPolicy;
  const modes = settings.security_mode === SecurityModes.SIGN ? [Sign, SignAndEncrypt] : [SignAndEncrypt];
  const options: OPCUAServerOptions = {
    host: settings.host,
    port: settings.port,
    advertisedEndpoints: advertised.map(({ name, port = settings.port }) => `opc.tcp://${name}:${port}`),
    allowAnonymous: settings.anonymous,
    securityModes: settings.unsecured ? [None, ...modes] : modes,
    securityPolicies: [
      ...(settings.unsecured ? [SecurityPolicy.None] : []),
      Basic256Sha256,
      Aes128_Sha256_RsaOaep,
      Aes256_Sha256_RsaPss,
    ],
    certificateKeyPairProvider: parts.keyPair,
    serverCertificateManager: parts.clients as never,
    userCertificateManager: parts.certificates as never,
    userManager: users,
    nodesets: [{ name: 'standard', source: await standardNodeset() }],
    serverInfo: {
      applicationUri: names.applicationUri,
      productUri: 'urn:tagway',
      applicationName: { text: `Tagway ${node}`, locale: 'en' },
    },
    buildInfo: {
      productName: 'Tagway',
      productUri: 'urn:tagway',
      manufacturerName: 'Tagway',
      softwareVersion: manifest.version,
      buildNumber: manifest.version,
      buildDate: new Date(0),
    },
    maxConnectionsPerEndpoint: settings.max_sessions + furtherConnections,
    transportSettings: {
      adjustTransportLimits: (hello) => ({
        ...hello,
        receiveBufferSize: Math.min(hello.receiveBufferSize, chunkMost),
        sendBufferSize: Math.min(hello.sendBufferSize, chunkMost),
        maxMessageSize: messageMost,
        maxChunkCount: messageMost / 8192,
      }),
    },
    serverCapabilities: {
      maxSessions: settings.max_sessions,
      maxSubscriptionsPerSession: settings.max_subscriptions,
      maxSubscriptions: settings.max_sessions * settings.max_subscriptions,
      maxMonitoredItems: settings.max_items,
      maxMonitoredItemsPerSubscription: settings.max_items,
      maxMonitoredItemsQueueSize: 5000,
      maxStringLength: messageMost,
      maxByteStringLength: messageMost,
      maxArrayLength: 1024 * 1024,
      // Every change of a value goes to the monitored items at once.
      minSupportedSampleRate: 0,
      operationLimits: {
        maxNodesPerRead: operationsMost,
        maxNodesPerWrite: operationsMost,
        maxNodesPerBrowse: operationsMost,
        maxNodesPerRegisterNodes: operationsMost,
        maxNodesPerTranslateBrowsePathsToNodeIds: operationsMost,
        maxMonitoredItemsPerCall: operationsMost,
        maxNodesPerMethodCall: 100,
        maxNodesPerHistoryReadData: 100,
      },
    },
  };
  const server = new OPCUAServer(options);
  server.roleResolvers.push(users);
  everySample(server);
  keepItemsLean(server);
  markOverflowOfAnyStatus();
  boundQueuedValues();
  await server.initialize();
  offerUsers(server, settings);
  return server;
}

/**
 * Has every monitored item of a value get every sample. The library does that for items that ask for the interval 0, and polls all others
 * by timers, which costs three times as much and misses what comes in between.
 */
function everySample(server: OPCUAServer): void {
  server.on('request', (request) => {
    const asked = request as unknown as { readonly requestHeader: RequestHeader };
    if (asked instanceof CreateMonitoredItemsRequest) {
      for (const item of asked.itemsToCreate ?? [])
        if (item.itemToMonitor.attributeId === valueAttribute) atOnce(item.requestedParameters);
    } else if (asked instanceof ModifyMonitoredItemsRequest)
      for (const item of asked.itemsToModify ?? []) atOnce(item.requestedParameters);
  });
}

function atOnce(parameters: MonitoringParameters): void {
  // Values below 0 are for the library to judge.
  if (parameters.samplingInterval > 0) parameters.samplingInterval = 0;
}

/** Leaves out the ways to log in that the settings do not allow. */
function offerUsers(server: OPCUAServer, settings: Settings): void {
  const isOffered = (type: UserTokenType): boolean => {
    if (type === UserTokenType.UserName) return settings.users;
    if (type === UserTokenType.Certificate) return settings.certificate_users !== CertificateUsers.NONE;
    return type === UserTokenType.Anonymous && settings.anonymous;
  };
  for (const endpoint of server.endpoints)
    for (const description of endpoint.endpointDescriptions())
      description.userIdentityTokens =
        description.userIdentityTokens?.filter(({ tokenType }) => isOffered(tokenType)) ?? null;
}
