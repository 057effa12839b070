import { expect } from 'chai';
import { type ConnectedClient, ErrorCode, isFault, type NodeCertificate } from '@tagway/sdk';
import type { RunnerRequest } from '@tagway/sdk/internal';
import type { Library } from '../library.ts';
import type { PluginHarness } from '../plugin-harness.ts';
import { showText } from './text.ts';

/** A running node with the number 1, for one test. */
export interface RunningNode extends AsyncDisposable {
  readonly harness: PluginHarness;
}

/**
 * Registers tests of what people may ask a node about its peers, where its manifest says that they may. `open` starts a node, and resolves
 * when it has a peer.
 */
export function testPeers({ manifest }: Library, open: () => Promise<RunningNode>): void {
  const { features = [] } = manifest;

  if (features.includes('clients')) {
    it('lists the clients that are connected to it', async () => {
      await using node = await open();
      const clients = (await ask(node, { op: 'clients', node: 1 })) as readonly ConnectedClient[];
      expect(clients.length, 'clients').to.be.greaterThan(0);
      for (const { name, address, since } of clients) {
        expect(name, 'its name').to.not.equal('');
        expect(address, 'its address').to.include('127.0.0.1');
        expect(since, 'since when').to.be.within(Date.now() - 60_000, Date.now());
      }
    });
  }

  if (features.includes('certificates')) {
    it('lists its certificates, moves none that it has not, and keeps its own', async function () {
      await using node = await open();
      const all = (await ask(node, { op: 'certificates', node: 1 })) as readonly NodeCertificate[];
      expect(new Set(all.map(({ id }) => id)).size, 'different ids').to.equal(all.length);
      for (const { sha1, sha256, until } of all) {
        expect(sha1).to.match(/^([0-9A-F]{2}:){19}[0-9A-F]{2}$/);
        expect(sha256).to.match(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
        expect(until, 'until when').to.be.greaterThan(0);
      }
      const own = all.filter(({ state }) => state === 'own').map(({ id }) => id);
      for (const id of ['none at all', ...own]) {
        const fault = await refusal(node, { op: 'moveCertificate', node: 1, id, to: 'deleted' });
        expect(fault.code, id).to.equal(ErrorCode.CERTIFICATE_NOT_FOUND);
        showText(this.test, fault.message, 'Certificate: ');
      }
      const after = (await ask(node, { op: 'certificates', node: 1 })) as readonly NodeCertificate[];
      expect(after.filter(({ state }) => state === 'own').map(({ id }) => id)).to.deep.equal(own);
    });
  }
}

function ask({ harness }: RunningNode, request: RunnerRequest): Promise<unknown> {
  return harness.runner.ask(request);
}

async function refusal(
  node: RunningNode,
  request: RunnerRequest,
): Promise<{ code: number; message: string }> {
  const answer: unknown = await ask(node, request).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!isFault(answer))
    throw new Error(`${request.op} was answered, or failed without a fault: ${String(answer)}`);
  return answer;
}
