import type { AddressSpace, UAObject, UAVariable } from 'node-opcua-address-space';
import { makeNodeId } from 'node-opcua-nodeid';
import type { OPCUAServer } from 'node-opcua-server';
import { ApplicationDescription, ApplicationType, FindServersResponse } from 'node-opcua-types';
import { DataType, Variant, VariantArrayType } from 'node-opcua-variant';
import type { RedundantServers } from './redundant-servers.ts';

/** Ids in the standard's namespace: the object ServerRedundancy, its two properties, and the types that it has without a pair and in one. */
const ids = { object: 2296, support: 3709, uris: 11_314, typeAlone: 2034, typeInPair: 2039 } as const;

/** `RedundancySupport` of a pair whose standby polls nothing (OPC 10000-5, 12.5). */
const warm = 2;

/** Shows clients the servers of the pair: in the node ServerRedundancy, and to those that look for servers. */
export function showServers(server: OPCUAServer, space: AddressSpace, servers: RedundantServers): void {
  fillNode(space, servers);
  answerFindServers(server, servers);
}

function fillNode(space: AddressSpace, servers: RedundantServers): void {
  const object = space.findNode(makeNodeId(ids.object)) as UAObject | null;
  const support = space.findNode(makeNodeId(ids.support));
  if (object === null || support === null) throw new Error('The nodeset has no node ServerRedundancy.');
  object.removeReference({
    referenceType: 'HasTypeDefinition',
    isForward: true,
    nodeId: makeNodeId(ids.typeAlone),
  });
  object.addReference({
    referenceType: 'HasTypeDefinition',
    isForward: true,
    nodeId: makeNodeId(ids.typeInPair),
  });
  (support as UAVariable).bindVariable(
    { get: () => new Variant({ dataType: DataType.Int32, value: warm }) },
    true,
  );
  const place = makeNodeId(ids.uris);
  // The nodeset has it, and nothing refers to it.
  const stray = space.findNode(place);
  if (stray !== null) space.deleteNode(stray);
  const uris = space.getNamespace(0).addVariable({
    propertyOf: object,
    browseName: { name: 'ServerUriArray', namespaceIndex: 0 },
    nodeId: place,
    typeDefinition: 'PropertyType',
    dataType: 'String',
    valueRank: 1,
    accessLevel: 'CurrentRead',
    userAccessLevel: 'CurrentRead',
  });
  uris.bindVariable(
    {
      get: () =>
        new Variant({
          dataType: DataType.String,
          arrayType: VariantArrayType.Array,
          value: [...servers.uris],
        }),
    },
    true,
  );
}

function answerFindServers(server: OPCUAServer, servers: RedundantServers): void {
  const own = server.getServers.bind(server);
  server.getServers = (channel) => {
    const [first, ...rest] = own(channel);
    if (first === undefined) return rest;
    const { applicationName, productUri } = first;
    const others = servers.others.map(
      ({ applicationUri, discoveryUrl }) =>
        new ApplicationDescription({
          applicationUri,
          applicationName,
          productUri,
          applicationType: ApplicationType.Server,
          discoveryUrls: [discoveryUrl],
        }),
    );
    return [first, ...rest, ...others];
  };
  // The library puts the name by which the client reached this server into all URLs of this port, also into those of others.
  server.on('response', (response) => {
    const answer = response as unknown;
    if (!(answer instanceof FindServersResponse)) return;
    for (const description of answer.servers ?? []) {
      const other = servers.others.find(
        ({ applicationUri }) => applicationUri === description.applicationUri,
      );
      if (other !== undefined) description.discoveryUrls = [other.discoveryUrl];
    }
  });
}
