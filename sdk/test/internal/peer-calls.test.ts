import { expect } from 'chai';
import { ErrorCode } from '@tagway/schemas';
import { Fault, isFault } from '../../src/fault.ts';
import type { ConnectedClient, NodeCertificate, Peers } from '../../src/peers.ts';
import { deadlines } from '../../src/internal/runner/deadline.ts';
import { certificatesOf, clientsOf, moveCertificateOf } from '../../src/internal/runner/peer-calls.ts';
import { VirtualClock } from './virtual-clock.ts';

const client: ConnectedClient = { name: 'historian', address: '10.0.0.7:4711', since: 1 };
const certificate: NodeCertificate = {
  id: 'client/AB',
  state: 'rejected',
  of: 'client',
  subject: 'CN=historian',
  issuer: 'CN=historian',
  sha1: 'AB',
  sha256: 'CD',
  from: 1,
  until: 2,
  authority: false,
  content: new Uint8Array(3),
};

async function faultOf(call: Promise<unknown>): Promise<Fault> {
  const outcome: unknown = await call.then(
    () => 'an answer',
    (error: unknown) => error,
  );
  if (!isFault(outcome)) throw new Error(`There is no fault, but ${String(outcome)}.`);
  return outcome;
}

describe('peers of a node', () => {
  const clock = new VirtualClock();

  it('are what the plugin says, at once or later', async () => {
    expect(await clientsOf({ clients: () => [client] }, clock)).to.deep.equal([client]);
    expect(await certificatesOf({ certificates: async () => [certificate] }, clock)).to.deep.equal([
      certificate,
    ]);
    const moved: string[] = [];
    const node: Peers = { moveCertificate: (id, to) => void moved.push(`${id} ${to}`) };
    await moveCertificateOf(node, clock, 'client/AB', 'trusted');
    expect(moved).to.deep.equal(['client/AB trusted']);
  });

  it('are a thousand at most, and of long names the beginning: clients choose them', async () => {
    const many = Array.from({ length: 5000 }, () => ({ ...client, name: 'x'.repeat(100_000) }));
    const listed = await clientsOf({ clients: () => many }, clock);
    expect(listed).to.have.length(1000);
    expect(listed[0]).to.deep.equal({ ...client, name: 'x'.repeat(500) });
  });

  it('are none where the plugin has none, and none of them can be moved', async () => {
    for (const call of [
      clientsOf({}, clock),
      certificatesOf({}, clock),
      moveCertificateOf({}, clock, 'a', 'deleted'),
    ])
      expect((await faultOf(call)).code).to.equal(ErrorCode.PLUGIN_TYPE_UNSUPPORTED);
  });

  for (const [what, wrong] of Object.entries({
    'no list': 'clients',
    'a list of none': [null],
    'a client without a name': [{ ...client, name: undefined }],
    'a time that is none': [{ ...client, since: NaN }],
    'a count below zero': [{ ...client, items: -1 }],
  }))
    it(`a malformed answer is refused: ${what}`, async () => {
      const fault = await faultOf(clientsOf({ clients: () => wrong as never }, clock));
      expect(fault.code).to.equal(ErrorCode.INTERNAL);
      expect(fault.message).to.include('malformed');
    });

  it('a certificate of an unknown state, or without its content, is refused', async () => {
    for (const wrong of [{ state: 'unknown' }, { content: 'AB' }, { of: 'nobody' }]) {
      const listed = [{ ...certificate, ...wrong }] as never;
      expect((await faultOf(certificatesOf({ certificates: () => listed }, clock))).code).to.equal(
        ErrorCode.INTERNAL,
      );
    }
  });

  it('a fault of the plugin stays what it is, and an error becomes one with its reason', async () => {
    const moves = (error: Error): Peers => ({ moveCertificate: () => Promise.reject(error) });
    const missing = new Fault(ErrorCode.CERTIFICATE_NOT_FOUND, 'There is none of this id.');
    const kept = await faultOf(moveCertificateOf(moves(missing), clock, 'a', 'trusted'));
    expect([kept.code, kept.message]).to.deep.equal([missing.code, missing.message]);
    const failed = await faultOf(
      moveCertificateOf(moves(new Error('The disk is full.')), clock, 'a', 'trusted'),
    );
    expect(failed.code).to.equal(ErrorCode.INTERNAL);
    expect(failed.message).to.include('The disk is full.');
  });

  it('a plugin that does not answer is waited for to the deadline', async () => {
    const call = faultOf(clientsOf({ clients: () => new Promise(() => undefined) }, clock));
    clock.advance(deadlines.peers + 1);
    expect((await call).code).to.equal(ErrorCode.NO_RESPONSE);
  });
});
