import { expect } from 'chai';
import type { ConnectionStep } from '@tagway/sdk';
import { freePort } from '@tagway/testkit';
import { hasPostgres, postgres, PostgresServer } from '@tagway/testkit/postgres-server';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import { paramsFor } from './nodes.ts';

/** The steps that a test of these settings takes, and why the last one failed. */
async function tried(
  settings: Settings,
): Promise<{ readonly steps: ConnectionStep[]; readonly failure: string }> {
  const steps: ConnectionStep[] = [];
  let failure = '';
  try {
    await plugin.tryConnection!({
      node: 'store',
      settings: settings as never,
      signal: AbortSignal.timeout(10_000),
      step: (step) => steps.push(step),
    });
  } catch (error) {
    failure = (error as Error).message;
  }
  return { steps, failure };
}

(hasPostgres ? describe : describe.skip)(`the connection test: ${postgres}`, () => {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.start({ hba: ['host all all 127.0.0.1/32 scram-sha-256'] });
    await server.sql(`CREATE ROLE writer LOGIN PASSWORD 'right'; GRANT CREATE ON SCHEMA public TO writer`);
  });
  after(() => server[Symbol.asyncDispose]());

  const params = (more: Record<string, unknown> = {}): Settings =>
    paramsFor(server.port, { user: 'writer', password: 'right', ...more });

  it('takes all steps and leaves nothing behind', async () => {
    for (const more of [{}, { form: 1 }, { host: 'localhost' }])
      expect(await tried(params(more))).to.deep.equal({
        steps: [...('host' in more ? ['resolve'] : []), 'connect', 'login', 'rights', 'write'],
        failure: '',
      });
    expect(
      await server.sql(`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`),
    ).to.deep.equal([]);
  });

  it('says at which step it fails, and why', async () => {
    const failing = async (
      more: Record<string, unknown>,
      last: ConnectionStep,
      why: RegExp,
    ): Promise<void> => {
      const { steps, failure } = await tried(params(more));
      expect(steps.at(-1)).to.equal(last);
      expect(failure).to.match(why);
    };
    await failing({ host: 'no-such-host.invalid' }, 'resolve', /cannot be resolved/);
    await failing({ port: await freePort() }, 'connect', /refuses connections/);
    await failing({ ssl: true }, 'handshake', /does not speak TLS/);
    await failing({ password: 'wrong' }, 'login', /Check the settings "user" and "password"/);
    await failing({ schema: 'nowhere' }, 'rights', /"nowhere" does not exist.*Check the setting "schema"/);
    await failing({ create_tables: false }, 'rights', /There is no table "public"."tag_values"/);
    await server.sql('CREATE SCHEMA locked');
    await failing({ schema: 'locked' }, 'rights', /permission denied.*Give the user/);
    await server.sql(
      `SET ROLE writer; CREATE TABLE readonly (time timestamptz, node text, "group" text, tag text, seq bigint,
         float_value float8, int_value int8, uint_value numeric, bool_value bool, text_value text, bytes_value bytea, error int,
         quality int8, UNIQUE (time, node, "group", tag, seq)); REVOKE INSERT ON readonly FROM writer`,
    );
    await failing({ table: 'readonly' }, 'write', /permission denied.*Give the user/);
  });
});
