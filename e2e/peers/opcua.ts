// An OPC UA server of the node-opcua-server package, in a process of its own. It takes its options as JSON, says its port to
// the process that forked it, and does what that asks of it until it is gone.
import { join } from 'node:path';
import { OPCUACertificateManager } from 'node-opcua-certificate-manager';
import {
  AccessLevelFlag,
  DataType,
  MessageSecurityMode,
  NodeId,
  SecurityPolicy,
  setErrorLogger,
  setWarningLogger,
  type StatusCode,
  StatusCodes,
  Variant,
  VariantArrayType,
  type VariantOptions,
} from 'node-opcua-client';
import { nodesets } from 'node-opcua-nodesets';
import { OPCUAServer } from 'node-opcua-server';

export interface OpcUaServerOptions {
  /** Default 0: a free one. */
  readonly port?: number;
  /** Folder for certificates and keys. */
  readonly pki: string;
  /** Default true. */
  readonly anonymous?: boolean;
  /** Offer the secured endpoints beside the plain one. Default false. */
  readonly secured?: boolean;
  /** Whether the server trusts whatever certificate a client has. Default true. */
  readonly trusting?: boolean;
  /** The server's certificate ended long ago. */
  readonly expired?: boolean;
  /** Most nodes in one read, write or creation of monitored items. Default: the library's. */
  readonly limit?: number;
  /** Most monitored items of a session. Default: the library's. */
  readonly items?: number;
  /** Number of Int16 variables "tag0", "tag1" and so on; the first is a clock, the others hold their number. */
  readonly counting?: number;
  /** Number of String variables "text0" and so on of 100 000 characters. */
  readonly texts?: number;
  /** Number of folders "hall0", "hall1" and so on below Machines, each with a thousand Int16 variables "sensor0" and so on. */
  readonly halls?: number;
  /** Milliseconds after which a tenth of those changes, in turn. Default: never. */
  readonly every?: number;
}

/** Requests; each is answered with its id. */
export type OpcUaServerRequest = { readonly id: number } & (
  | { readonly do: 'set'; readonly name: string; readonly value: unknown; readonly status?: string }
  /** All values one after the other, at once. */
  | { readonly do: 'pulse'; readonly name: string; readonly values: readonly unknown[] }
  | { readonly do: 'get' | 'add' | 'remove'; readonly name: string }
);

// Nobody reads this process's output.
setWarningLogger(() => undefined);
setErrorLogger(() => undefined);

const options = JSON.parse(process.argv[2] ?? '{}') as OpcUaServerOptions;
const {
  pki,
  anonymous = true,
  secured = false,
  trusting = true,
  limit,
  items,
  counting = 0,
  texts = 0,
  halls = 0,
  every = 0,
} = options;

const serverCertificateManager = new OPCUACertificateManager({
  rootFolder: join(pki, 'server'),
  automaticallyAcceptUnknownCertificate: trusting,
  disableFileWatchers: true,
});
const userCertificateManager = new OPCUACertificateManager({
  rootFolder: join(pki, 'users'),
  disableFileWatchers: true,
});
await serverCertificateManager.initialize();
const certificateFile = join(pki, 'server', 'own', 'certs', 'server.pem');
if (options.expired === true) {
  await serverCertificateManager.createSelfSignedCertificate({
    applicationUri: 'urn:tagway:test-server',
    dns: ['localhost'],
    outputFile: certificateFile,
    subject: '/CN=Expired',
    startDate: new Date('2020-01-01'),
    validity: 30,
  });
}

const { None, Sign, SignAndEncrypt } = MessageSecurityMode;
const { Basic256Sha256, Aes128_Sha256_RsaOaep, Aes256_Sha256_RsaPss } = SecurityPolicy;
const operations = ['maxNodesPerRead', 'maxNodesPerWrite', 'maxNodesPerBrowse', 'maxMonitoredItemsPerCall'];
const limits = limit === undefined ? {} : Object.fromEntries(operations.map((name) => [name, limit]));
const server = new OPCUAServer({
  port: options.port ?? 0,
  host: '127.0.0.1',
  hostname: 'localhost',
  allowAnonymous: anonymous,
  nodeset_filename: [nodesets.standard],
  disableDiscovery: !secured,
  securityModes: secured ? [None, Sign, SignAndEncrypt] : [None],
  securityPolicies: [
    SecurityPolicy.None,
    ...(secured ? [Basic256Sha256, Aes128_Sha256_RsaOaep, Aes256_Sha256_RsaPss] : []),
  ],
  serverInfo: { applicationUri: 'urn:tagway:test-server' },
  serverCertificateManager,
  userCertificateManager,
  ...(options.expired === true && { certificateFile, privateKeyFile: serverCertificateManager.privateKey }),
  userManager: { isValidUser: (user: string, password: string) => user === 'ada' && password === 'secret' },
  serverCapabilities: {
    operationLimits: limits,
    // Of variables without a sampling interval of their own every change is reported.
    minSupportedSampleRate: 0,
    // Connections that break leave sessions behind until those time out.
    maxSessions: 200,
    ...(items !== undefined && { maxMonitoredItems: items, maxMonitoredItemsPerSubscription: items }),
  },
});
await server.initialize();

const addressSpace = server.engine.addressSpace;
if (addressSpace === null) throw new Error('The server has no address space.');
const space = addressSpace.getOwnNamespace();
const machines = space.addFolder(addressSpace.rootFolder.objects, { browseName: 'Machines' });

type Variable = ReturnType<typeof space.addVariable>;
const variables = new Map<string, Variable>();
const readAndWrite = AccessLevelFlag.CurrentRead | AccessLevelFlag.CurrentWrite;

function add(
  name: string,
  value: Value,
  nodeId: string | NodeId = `s=${name}`,
  minimumSamplingInterval = 20,
): Variable {
  const rank = value.dimensions?.length ?? (value.arrayType === VariantArrayType.Array ? 1 : -1);
  const variable = space.addVariable({
    componentOf: machines,
    browseName: name,
    ...(name === 'Int16' && { description: 'Speed of the belt' }),
    nodeId,
    dataType: DataType[value.dataType],
    valueRank: rank,
    ...(rank > 0 && { arrayDimensions: new Array<number>(rank).fill(0) }),
    minimumSamplingInterval,
    accessLevel: readAndWrite,
    userAccessLevel: readAndWrite,
  });
  variable.setValueFromSource(new Variant(value));
  variables.set(name, variable);
  return variable;
}

type Value = VariantOptions & { dataType: DataType };

const scalar = (dataType: DataType, value: unknown): Value => ({
  dataType,
  arrayType: VariantArrayType.Scalar,
  value,
});
const array = (dataType: DataType, value: unknown): Value => ({
  dataType,
  arrayType: VariantArrayType.Array,
  value,
});

add('SByte', scalar(DataType.SByte, -128));
add('Byte', scalar(DataType.Byte, 255));
add('Int16', scalar(DataType.Int16, -32_768));
add('UInt16', scalar(DataType.UInt16, 65_535));
add('Int32', scalar(DataType.Int32, -2_147_483_648));
add('UInt32', scalar(DataType.UInt32, 4_294_967_295));
add('Int64', scalar(DataType.Int64, [0x8000_0000, 0]));
add('UInt64', scalar(DataType.UInt64, [0xffff_ffff, 0xffff_ffff]));
add('Float', scalar(DataType.Float, 1.5));
add('Double', scalar(DataType.Double, 0.1));
add('Boolean', scalar(DataType.Boolean, true));
add('String', scalar(DataType.String, 'zwölf'));
add('LocalizedText', scalar(DataType.LocalizedText, { text: 'valve', locale: 'en' }));
add('DateTime', scalar(DataType.DateTime, new Date(1_700_000_000_000)));
add('Early', scalar(DataType.DateTime, new Date(-1000)));
add('ByteString', scalar(DataType.ByteString, Buffer.from([1, 2])));
add('Numeric', scalar(DataType.Int32, 7), 'i=1001');
const { STRING, BYTESTRING } = NodeId.NodeIdType;
const odd = (name: string, id: NodeId, value: number): void =>
  void add(name, scalar(DataType.Int32, value), id);
odd('LooksNumeric', new NodeId(STRING, 'i=5', 1), 101);
odd('LooksQualified', new NodeId(STRING, 'ns=2;s=Tank', 1), 102);
odd('Digits', new NodeId(STRING, '1001', 1), 103);
odd('LooksLikeGuid', new NodeId(STRING, '0f3a0e4c-9b1d-4c3e-8a55-0123456789ab', 1), 104);
odd('Opaque', new NodeId(BYTESTRING, Buffer.from([0, 1, 2, 0xff]), 1), 105);
// 0: its changes are reported as they arise.
add('Eventful', scalar(DataType.Int16, 3), undefined, 0);
add('Large', scalar(DataType.String, 'x'.repeat(200_000)));
add('NegativeZero', scalar(DataType.Double, -0));
add('Guid', scalar(DataType.Int32, 8), 'g=0F3A0E4C-9B1D-4C3E-8A55-0123456789AB');
add('Int32Array', array(DataType.Int32, [10, 20, 30]));
add('StringArray', array(DataType.String, ['a', 'b']));
const largest = [0xffff_ffff, 0xffff_fffe];
add('UInt64Array', array(DataType.UInt64, [[0, 1], largest]));
add('Matrix', {
  dataType: DataType.Double,
  arrayType: VariantArrayType.Matrix,
  dimensions: [2, 3],
  value: [0, 1, 2, 10, 11, 12],
});
const fixed = add('ReadOnly', scalar(DataType.Int32, 5));
fixed.accessLevel = AccessLevelFlag.CurrentRead;
fixed.userAccessLevel = AccessLevelFlag.CurrentRead;
const broken = add('Broken', scalar(DataType.Int32, 5));
broken.setValueFromSource(new Variant(scalar(DataType.Int32, 5)), StatusCodes.BadSensorFailure);

/** The lower 16 bits of the time in milliseconds, by which the benchmark computes how old a value is. */
const clock = (): number => (Date.now() << 16) >> 16;

const counters = Array.from({ length: counting }, (_, index) =>
  add(`tag${index}`, scalar(DataType.Int16, index & 0x7fff)),
);
for (let text = 0; text < texts; text++)
  add(`text${text}`, scalar(DataType.String, `${text}`.repeat(100_000)));
for (let hall = 0; hall < halls; hall++) {
  const folder = space.addFolder(machines, { browseName: `hall${hall}` });
  for (let sensor = 0; sensor < 1000; sensor++)
    space.addVariable({
      componentOf: folder,
      browseName: `sensor${sensor}`,
      ...(sensor === 1 && { description: `Gate of hall ${hall}` }),
      nodeId: `s=hall${hall}.sensor${sensor}`,
      dataType: DataType.Int16,
      value: scalar(DataType.Int16, sensor),
    });
}
const [first] = counters;
if (every > 0) {
  let tick = 0;
  setInterval(() => {
    tick = (tick + 1) & 0x7fff;
    const value = new Variant(scalar(DataType.Int16, tick));
    first?.setValueFromSource(new Variant(scalar(DataType.Int16, clock())));
    for (let index = 10 + (tick % 10); index < counting; index += 10)
      counters[index]?.setValueFromSource(value);
  }, every);
}

/** `status` is the name of a status, such as UncertainLastUsableValue. */
function assign(variable: Variable | undefined, value: unknown, status = 'Good'): void {
  if (variable === undefined) throw new Error('There is no such variable.');
  const { dataType, arrayType, dimensions } = variable.readValue().value;
  const code = (StatusCodes as unknown as Record<string, StatusCode>)[status] ?? StatusCodes.Bad;
  variable.setValueFromSource(new Variant({ dataType, arrayType, dimensions, value }), code);
}

function perform(request: OpcUaServerRequest): unknown {
  const variable = variables.get(request.name);
  switch (request.do) {
    case 'get':
      return variable?.readValue().value.value as unknown;
    case 'set':
      return assign(variable, request.value, request.status);
    case 'pulse':
      return request.values.forEach((value) => assign(variable, value));
    case 'add':
      return void add(request.name, scalar(DataType.Int32, 1));
    case 'remove':
      return variable && addressSpace?.deleteNode(variable.nodeId);
  }
}

process.on('message', (request: OpcUaServerRequest) => {
  process.send?.({ id: request.id, value: perform(request) });
});
// Whoever forked this process is gone.
process.on('disconnect', () => process.exit());

await server.start();
process.send?.({ port: Number(new URL(server.getEndpointUrl().replace('opc.tcp', 'http')).port) });
