import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { chmodSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { copyFile, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Client } from '../kit/client.ts';
import { sourceOf, waitForProblem, waitForSource } from '../kit/config-source.ts';
import { driverFile } from '../kit/configuration-files.ts';
import { useFolder } from '../kit/folder.ts';
import { Gateway } from '../kit/gateway.ts';
import { until } from '../kit/until.ts';
import { certify } from '../world/certificates.ts';
import { gitEnvironment, HttpsGit, missingForGit, ServedRepository, SshGit } from '../world/git-server.ts';

const good = { 'gateway.yaml': 'format: 1\n', 'drivers/boiler.yaml': driverFile(1000, ['a']) };

const without = missingForGit.length === 0 ? '' : ` (skipped: ${missingForGit.join(', ')} are not installed)`;
const suite = without === '' ? describe : describe.skip;

/** A folder with the programs of this machine, but for git. */
function pathWithoutGit(folder: string): string {
  mkdirSync(folder);
  for (const from of (process.env['PATH'] ?? '').split(delimiter))
    for (const name of from === '' ? [] : listed(from))
      if (!name.startsWith('git'))
        try {
          symlinkSync(join(from, name), join(folder, name));
        } catch {
          // It is in a folder before.
        }
  return folder;
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

async function bytesIn(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  // It may be gone in the meantime.
  const sizes = files.map((file) =>
    stat(join(file.parentPath, file.name)).then(
      ({ size, blocks }) => (file.isFile() ? Math.max(size, blocks * 512) : 0),
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Bytes of a process that are in memory. */
const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;

for (const engine of ['with the program git', 'without it'] as const)
  suite(`a gateway that reads a repository ${engine}${without}`, function () {
    this.timeout(300_000);
    const folder = useFolder('config-git-access');
    const stack = new AsyncDisposableStack();
    let repository: ServedRepository;
    let gateway: Gateway;
    let client: Client;
    let server: HttpsGit;

    const start = async (url: string, ...more: string[]): Promise<void> => {
      await gateway.stop();
      await gateway.start(['--config-source', url, '--config-interval', '1', ...more]);
      await client.login();
    };
    const secure = (): string[] => ['--config-ca', server.ca];
    const applied = (commit: string): Promise<unknown> =>
      waitForSource(
        client,
        `${commit} is applied`,
        (source) => source.commit === commit && source.problem === null,
      );

    before(async () => {
      repository = new ServedRepository(folder());
      server = stack.use(await HttpsGit.start(repository.root, folder('tls')));
      const path = engine === 'without it' ? pathWithoutGit(folder('bin')) : (process.env['PATH'] ?? '');
      gateway = await Gateway.start({ starter: ['/usr/bin/env', `PATH=${path}`] });
      stack.defer(() => gateway.dispose());
      client = await gateway.client();
      await repository.commit('good', good);
    });
    after(() => stack.disposeAsync());

    it('verifies the server, sends its token to it alone, and says what is wrong', async () => {
      const token = folder('token');
      await writeFile(token, 'sesame\n', { mode: 0o600 });
      await using locked = await HttpsGit.start(repository.root, folder('locked'), { token: 'sesame' });
      await start(locked.url);
      await waitForProblem(client, 'certificate');
      await start(locked.url, '--config-ca', locked.ca);
      await waitForProblem(client, 'does not take the token or the certificate, or asks for one');
      await start(locked.url, '--config-ca', locked.ca, '--config-token', token);
      await applied(repository.git('rev-parse', 'HEAD'));
      // A token that is renewed counts at the next look.
      await writeFile(token, 'wrong\n');
      await waitForProblem(client, 'does not take the token or the certificate, or asks for one');
      await writeFile(token, 'sesame\n');
      await waitForSource(client, 'it is good again', ({ problem }) => problem === null);
      await start(`${locked.url}#nowhere`, '--config-ca', locked.ca, '--config-token', token);
      await waitForProblem(client, 'has no branch "nowhere"');
      await start(`${locked.url}#main:nowhere`, '--config-ca', locked.ca, '--config-token', token);
      await waitForProblem(client, 'has no folder "nowhere"');
      let told = '';
      await using other = await HttpsGit.start(repository.root, folder('other'), {
        instead: (request, reply) => {
          told += request.headers.authorization ?? '';
          reply.writeHead(302, { location: 'https://127.0.0.1:1/plant.git' }).end();
        },
      });
      await start(other.url, '--config-ca', other.ca);
      await waitForProblem(client, 'leads to another address, which is not followed');
      expect(told).to.equal('');
    });

    it('shows a certificate of its own', async () => {
      const cert = folder('client.pem');
      const key = folder('client.key');
      certify(cert, key, 'gateway', 'DNS:gateway');
      await using locked = await HttpsGit.start(repository.root, folder('mutual'), {
        client: readFileSync(cert, 'utf8'),
      });
      await start(locked.url, '--config-ca', locked.ca);
      await waitForProblem(client, 'does not take the token or the certificate, or asks for one');
      await start(locked.url, '--config-ca', locked.ca, '--config-cert', cert, '--config-key', key);
      await applied(repository.git('rev-parse', 'HEAD'));
    });

    it('takes SSH with a deploy key and a known key of the server, or says that it needs git', async () => {
      await using ssh = await SshGit.start(repository.root, folder('ssh'));
      const commit = await repository.commit('over ssh', { 'drivers/boiler.yaml': driverFile(1100, ['a']) });
      await start(ssh.url, '--config-key', ssh.key, '--config-known-hosts', ssh.knownHosts);
      if (engine === 'without it') {
        await waitForProblem(client, 'A source of git+ssh needs the program git');
        return;
      }
      await applied(commit);
      await writeFile(folder('ssh/nobody'), '');
      await start(ssh.url, '--config-key', ssh.key, '--config-known-hosts', folder('ssh/nobody'));
      await waitForProblem(client, 'the server has another key than the file of --config-known-hosts says');
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', folder('ssh/stranger')]);
      await start(ssh.url, '--config-key', folder('ssh/stranger'), '--config-known-hosts', ssh.knownHosts);
      await waitForProblem(client, 'the server does not take the key of --config-key');
    });

    it('takes commits that a trusted key of OpenPGP or SSH has signed, and no others', async () => {
      const trusted = join(gateway.data, 'trusted/commits');
      await mkdir(trusted, { recursive: true });
      const env = gitEnvironment(repository.home);
      mkdirSync(join(repository.home, 'gnupg'), { mode: 0o700 });
      const pgp = (name: string): Buffer => {
        execFileSync(
          'gpg',
          [
            '--batch',
            '--quiet',
            '--passphrase',
            '',
            '--quick-gen-key',
            `<${name}@example.org>`,
            'ed25519',
            'sign',
            '1d',
          ],
          { env, stdio: 'ignore' },
        );
        return execFileSync('gpg', ['--armor', '--export', `${name}@example.org`], { env });
      };
      const ssh = (name: string): string => {
        execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', folder(name)]);
        return folder(name);
      };
      const operator = pgp('operator');
      const keyOfPeer = ssh('peer');
      pgp('stranger');
      const strange = ssh('strange');
      const by = (kind: 'openpgp' | 'ssh', key: string): string[] => {
        repository.git('config', 'gpg.format', kind);
        return [`--gpg-sign=${key}`];
      };
      const next = (interval: number, args: string[]): Promise<string> =>
        repository.commit(
          `every ${interval} ms`,
          { 'drivers/boiler.yaml': driverFile(interval, ['a']) },
          ...args,
        );

      await next(2000, []);
      await start(server.url, ...secure(), '--config-signed');
      await waitForProblem(client, 'is not signed, and this gateway takes signed commits only');
      await next(2100, by('openpgp', 'operator@example.org'));
      await waitForProblem(client, `there is no key of OpenPGP in ${trusted}`);
      await writeFile(join(trusted, 'operator.asc'), operator);
      const first = repository.git('rev-parse', 'HEAD');
      await applied(first);
      await next(2200, by('openpgp', 'stranger@example.org'));
      await waitForProblem(client, 'has a signature that is not by any of the keys');
      await next(2300, by('ssh', `${keyOfPeer}.pub`));
      await waitForProblem(client, `there is no key of SSH in ${trusted}`);
      await copyFile(`${keyOfPeer}.pub`, join(trusted, 'peer.pub'));
      await applied(repository.git('rev-parse', 'HEAD'));
      await next(2400, by('ssh', `${strange}.pub`));
      await waitForProblem(client, 'has a signature that is not by any of the keys');
      // A key in the repository is none.
      await repository.commit(
        'trust me',
        { 'trusted/commits/strange.pub': readFileSync(`${strange}.pub`, 'utf8') },
        ...by('ssh', `${strange}.pub`),
      );
      await waitForProblem(client, 'has a signature that is not by any of the keys');
      // A server may show an old commit, whose signature is good.
      repository.push(() => repository.git('reset', '--hard', '--quiet', first));
      await waitForProblem(client, 'is older than the one that is applied');
      await rm(trusted, { recursive: true });
      await next(2500, by('openpgp', 'operator@example.org'));
      await waitForProblem(client, 'there is no key of OpenPGP');
      expect((await sourceOf(client))?.commit).not.to.equal(repository.git('rev-parse', 'HEAD'));
      await start(server.url, ...secure());
      await applied(repository.git('rev-parse', 'HEAD'));
    });

    it('refuses what leads out of the folder or is too much, and runs nothing of the repository', async () => {
      const before = (await sourceOf(client))?.commit;
      const base = repository.git('rev-parse', 'HEAD');
      const raw = (type: string, content: Buffer): string =>
        execFileSync('git', ['hash-object', '-t', type, '-w', '--stdin', '--literally'], {
          cwd: repository.copy,
          input: content,
          encoding: 'utf8',
        }).trim();
      const treeWith = (name: string, mode: string, id: string): Buffer =>
        Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]);
      const pushed = (tree: string): void => {
        const commit = repository.git('commit-tree', tree, '-p', base, '-m', 'hostile');
        repository.git('push', '--quiet', '--force', 'origin', `${commit}:refs/heads/main`);
      };
      const blob = raw('blob', Buffer.from('plugin: Modbus TCP\n'));
      const cases: readonly (readonly [what: string, make: () => void | Promise<void>, says: RegExp])[] = [
        [
          'a link',
          () =>
            pushed(raw('tree', treeWith('gateway.yaml', '120000', raw('blob', Buffer.from('/etc/passwd'))))),
          /"gateway.yaml" in the repository is a link/,
        ],
        [
          'a submodule',
          () => pushed(raw('tree', treeWith('drivers', '160000', base))),
          /"drivers" in the repository is a submodule/,
        ],
        [
          'a way out',
          () => pushed(raw('tree', treeWith('..', '40000', raw('tree', treeWith('x', '100644', blob))))),
          /is no name of a file|unsafe character sequences|hasDotdot|contains '\.\.'/,
        ],
        [
          'the settings of git',
          () =>
            pushed(raw('tree', treeWith('.git', '40000', raw('tree', treeWith('config', '100644', blob))))),
          /is no name of a file|unsafe character sequences|hasDotgit|contains '\.git'/,
        ],
        [
          'a name that is a path',
          () => pushed(raw('tree', treeWith('a/../../x', '100644', blob))),
          /is no name of a file|unsafe character sequences|fullPathname|contains full pathnames/,
        ],
        [
          'a name that is not in UTF-8',
          () =>
            pushed(
              raw(
                'tree',
                Buffer.concat([Buffer.from('100644 \u00ff\0', 'latin1'), Buffer.from(blob, 'hex')]),
              ),
            ),
          /"\ufffd" in the repository is no name of a file/,
        ],
        [
          'a name with what a terminal obeys',
          () => pushed(raw('tree', treeWith('a\n\u001b[2J', '100644', blob))),
          /in the repository is no name of a file/,
        ],
        [
          'a file of 300 MB, which is small in the pack',
          () =>
            pushed(
              raw('tree', treeWith('gateway.yaml', '100644', raw('blob', Buffer.alloc(300 << 20, '#')))),
            ),
          /more than 268435456 bytes|does not fit into the memory/,
        ],
      ];
      for (const [what, make, says] of cases) {
        await make();
        const source = await waitForSource(client, what, ({ problem }) =>
          says.test(problem?.message ?? ''),
        ).catch(async (error: unknown) => {
          throw new Error(`${what}: ${(await sourceOf(client))?.problem?.message}`, { cause: error });
        });
        expect(source.commit, what).to.equal(before);
      }
      // Filters and hooks are no files of a configuration: they stay what they are, and nothing runs.
      const trap = folder('trapped');
      repository.git('reset', '--hard', '--quiet', base);
      const commit = await repository.commit('traps', {
        '.gitattributes': '* filter=trap\n',
        '.gitconfig': `[filter "trap"]\n smudge = touch ${trap}\n`,
        '.githooks/post-checkout': `#!/bin/sh\ntouch ${trap}\n`,
        '.lfsconfig': '[lfs]\n url = https://127.0.0.1:1\n',
        'drivers/boiler.yaml': driverFile(2600, ['a']),
      });
      chmodSync(join(repository.copy, '.githooks/post-checkout'), 0o755);
      await applied(commit);
      expect(await readdir(folder())).not.to.include('trapped');
      // Of all that was fetched the files of the applied commit stay.
      await until(
        'the rest is gone',
        async () => (await readdir(join(gateway.data, 'source/trees'))).length <= 2,
      );
    });

    it('takes no pack without an end: neither its disk nor the memory of the gateway fills', async () => {
      const head = repository.git('rev-parse', 'HEAD');
      const packet = (text: string | Buffer): Buffer => {
        const content = Buffer.from(text);
        return Buffer.concat([Buffer.from((content.length + 4).toString(16).padStart(4, '0')), content]);
      };
      // One object of very many bytes, which are not compressed.
      const begin = Buffer.from('5041434b0000000200000001bfffffff7f7801', 'hex');
      const block = Buffer.concat([Buffer.from('00ffff0000', 'hex'), randomBytes(65_535)]);
      const sideband = (content: Buffer): Buffer =>
        Buffer.concat(
          Array.from({ length: Math.ceil(content.length / 60_000) }, (_, at) =>
            packet(Buffer.concat([Buffer.from([1]), content.subarray(at * 60_000, (at + 1) * 60_000)])),
          ),
        );
      const endless = sideband(block);
      let sent = 0;
      await using hostile = await HttpsGit.start(repository.root, folder('endless-pack'), {
        objects: (reply, version) => {
          reply.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
          const shallow = packet(`shallow ${head}\n`);
          reply.write(
            Buffer.concat(
              version === 2
                ? [packet('shallow-info\n'), shallow, Buffer.from('0001'), packet('packfile\n')]
                : [shallow, Buffer.from('0000'), packet('NAK\n')],
            ),
          );
          reply.write(sideband(begin));
          const send = (): void => {
            while (!reply.destroyed) {
              sent += endless.length;
              if (!reply.write(endless)) return;
            }
          };
          reply.on('drain', send);
          send();
        },
      });
      await start(hostile.url, '--config-ca', hostile.ca);
      let mostBytes = 0;
      let mostMemory = 0;
      const look = async (): Promise<boolean> => {
        mostBytes = Math.max(mostBytes, await bytesIn(join(gateway.data, 'source')));
        mostMemory = Math.max(mostMemory, memoryOf(gateway.pid));
        return ((await sourceOf(client))?.problem ?? null) !== null;
      };
      await until('it is given up', look, { within: 150_000 });
      console.log(
        `      sent: ${sent >> 20} MB, most on the disk: ${mostBytes >> 20} MB, most memory of the gateway: ${mostMemory >> 20} MB`,
      );
      const said = (await sourceOf(client))?.problem?.message;
      expect(said, said).to.match(/sends more than 268435456 bytes|does not fit into the memory/);
      expect(sent).to.be.above(200 << 20);
      expect(mostBytes).to.be.below(300 << 20);
      expect(mostMemory).to.be.below(400 << 20);
      await start(server.url, ...secure());
      await until('nothing of it stays', async () => (await bytesIn(join(gateway.data, 'source'))) < 1 << 20);
    });

    it('gives up a server that sends without an end, or not at all, or a little in a while', async function () {
      this.timeout(600_000);
      const before = (await sourceOf(client))?.commit;
      const line = `${(65520).toString(16).padStart(4, '0')}${'a'.repeat(65515)}\n`;
      await using endless = await HttpsGit.start(repository.root, folder('endless'), {
        instead: (_request, reply) => {
          reply.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
          reply.write('001e# service=git-upload-pack\n0000000eversion 2\n');
          const send = (): void => {
            while (!reply.destroyed && reply.write(line));
          };
          reply.on('drain', send);
          send();
        },
      });
      await start(endless.url, '--config-ca', endless.ca);
      const said = await waitForSource(client, 'it is given up', ({ problem }) => problem !== null, 150_000);
      expect(said.problem?.message, said.problem?.message).to.match(
        /cannot be fetched|has no commit|sends more than|sends nothing|was not read within|memory/,
      );
      await using silent = await HttpsGit.start(repository.root, folder('silent'), {
        instead: () => undefined,
      });
      await start(silent.url, '--config-ca', silent.ca);
      await waitForSource(client, 'it is given up', ({ problem }) => problem !== null, 150_000);
      expect((await sourceOf(client))?.commit).to.be.oneOf([before, null]);
      // One packet in a while, which is no silence.
      await using slow = await HttpsGit.start(repository.root, folder('slow'), {
        instead: (_request, reply) => {
          reply.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
          reply.write('001e# service=git-upload-pack\n0000000eversion 2\n');
          const timer = setInterval(() => reply.write('0006a\n'), 2000);
          reply.on('close', () => clearInterval(timer));
        },
      });
      await start(slow.url, '--config-ca', slow.ca);
      const late = await waitForSource(client, 'it is given up', ({ problem }) => problem !== null, 150_000);
      expect(late.problem?.message).to.match(/was not read within 120 seconds|too slow|less than 100 bytes/i);
      // The gateway answers as ever, and nothing of all that goes on once it is away.
      await start(server.url, ...secure());
      await applied(repository.git('rev-parse', 'HEAD'));
    });
  });
