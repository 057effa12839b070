import { ErrorCode } from '@tagway/schemas';
import type { Clock } from '../../context.ts';
import { Fault, isFault } from '../../fault.ts';
import type { CertificatePlace, ConnectedClient, NodeCertificate, Peers } from '../../peers.ts';
import type { RunnerRequest } from '../channel/protocol.ts';
import { deadlines, within } from './deadline.ts';
import { soundFault } from './sound-fault.ts';

/** Clients, or certificates, that are listed at most; the first ones. */
const listedMost = 1000;
/** Characters of a text that are listed: clients choose their names themselves. */
const textMost = 500;

type PeerRequest = Extract<RunnerRequest, { readonly op: 'clients' | 'certificates' | 'moveCertificate' }>;

/** Answers a request about the peers of a node; `node` is undefined while it does not run. */
export async function askPeers(
  request: PeerRequest,
  node: Peers | undefined,
  clock: Clock,
): Promise<unknown> {
  if (node === undefined) throw new Fault(ErrorCode.NODE_NOT_RUNNING, 'The node does not run.');
  switch (request.op) {
    case 'clients':
      return await clientsOf(node, clock);
    case 'certificates':
      return await certificatesOf(node, clock);
    case 'moveCertificate':
      return await moveCertificateOf(node, clock, request.id, request.to);
  }
}

/** Who is connected to a node that runs. */
export async function clientsOf(node: Peers, clock: Clock): Promise<ConnectedClient[]> {
  if (node.clients === undefined) throw unsupported('has no clients to list');
  const listed: unknown = await call(clock, 'listing its clients', () => node.clients?.());
  if (!areConnectedClients(listed)) throw malformed('clients');
  return listed.slice(0, listedMost).map(short);
}

/** The certificates of a node that runs. */
export async function certificatesOf(node: Peers, clock: Clock): Promise<NodeCertificate[]> {
  if (node.certificates === undefined) throw unsupported('has no certificates to list');
  const listed: unknown = await call(clock, 'listing its certificates', () => node.certificates?.());
  if (!areNodeCertificates(listed)) throw malformed('certificates');
  return listed.slice(0, listedMost).map(short);
}

/** Trusts, rejects or deletes a certificate of a node that runs. */
export async function moveCertificateOf(
  node: Peers,
  clock: Clock,
  id: string,
  to: CertificatePlace,
): Promise<undefined> {
  if (node.moveCertificate === undefined) throw unsupported('has no certificates to move');
  await call(clock, 'moving a certificate', () => node.moveCertificate?.(id, to));
  return undefined;
}

/** Whether a plugin's answer is a list of `ConnectedClient`. */
export function areConnectedClients(thing: unknown): thing is ConnectedClient[] {
  return isListOf(
    thing,
    ({ name, address, since, user, endpoint, security, subscriptions, items }) =>
      [name, address].every(isText) &&
      [user, endpoint, security].every((one) => one === undefined || isText(one)) &&
      Number.isFinite(since) &&
      [subscriptions, items].every((one) => one === undefined || isCount(one)),
  );
}

/** Whether a plugin's answer is a list of `NodeCertificate`. */
export function areNodeCertificates(thing: unknown): thing is NodeCertificate[] {
  return isListOf(
    thing,
    ({ id, state, of, subject, issuer, sha1, sha256, from, until, authority, content }) =>
      [id, subject, issuer, sha1, sha256].every(isText) &&
      states.has(state) &&
      owners.has(of) &&
      [from, until].every(Number.isFinite) &&
      typeof authority === 'boolean' &&
      content instanceof Uint8Array,
  );
}

const states: ReadonlySet<unknown> = new Set<NodeCertificate['state']>(['own', 'trusted', 'rejected']);
const owners: ReadonlySet<unknown> = new Set<NodeCertificate['of']>(['node', 'client', 'server', 'user']);
const isText = (thing: unknown): boolean => typeof thing === 'string';
const isCount = (thing: unknown): boolean => Number.isSafeInteger(thing) && Number(thing) >= 0;

function isListOf(thing: unknown, isOne: (one: Readonly<Record<string, unknown>>) => boolean): boolean {
  return (
    Array.isArray(thing) &&
    thing.every(
      (one: unknown) => typeof one === 'object' && one !== null && isOne(one as Record<string, unknown>),
    )
  );
}

function short<T extends object>(one: T): T {
  return Object.fromEntries(
    Object.entries(one).map(([key, value]: [string, unknown]) => [
      key,
      typeof value === 'string' ? value.slice(0, textMost) : value,
    ]),
  ) as T;
}

async function call<T>(clock: Clock, what: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await within(clock, (async () => work())(), what, deadlines.peers);
  } catch (error) {
    throw isFault(error) ? soundFault(error, ErrorCode.INTERNAL) : failed(what, error);
  }
}

function failed(what: string, error: unknown): Fault {
  const reason = error instanceof Error ? error.message : String(error);
  return new Fault(ErrorCode.INTERNAL, `The plugin failed at ${what}: ${reason}`, { cause: error });
}

function unsupported(why: string): Fault {
  return new Fault(ErrorCode.PLUGIN_TYPE_UNSUPPORTED, `The plugin of this node ${why}.`);
}

function malformed(what: string): Fault {
  return new Fault(ErrorCode.INTERNAL, `The plugin gave a malformed list of its ${what}.`);
}
