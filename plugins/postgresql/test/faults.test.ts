import { createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { LinkState } from '@tagway/sdk';
import { listenOn, until } from '@tagway/testkit';
import { paramsFor, type PostgresNode, sampleOf, startNode, subscription } from './nodes.ts';
import { hasPostgres, postgres, PostgresServer } from '@tagway/testkit/postgres-server';

const at = Date.UTC(2025, 4, 1);

function deliver(run: PostgresNode, from: number, to: number): void {
  for (let value = from; value < to; value++)
    run.deliver(sampleOf(value, { timestamp: at + value }), subscription);
}

function upTo(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, index) => String(from + index));
}

/** Values of tag0 in the order in which they were stored. */
async function tag0(server: PostgresServer): Promise<string[]> {
  const rows = await server
    .sql(`SELECT int_value FROM tag_values WHERE tag = 'tag0' ORDER BY ctid`)
    .catch(() => []);
  return rows.map(([value]) => value!);
}

function reason(run: PostgresNode): string {
  return run.reports.at(-1)?.reason ?? '';
}

async function disconnected(run: PostgresNode, because: RegExp): Promise<void> {
  await until(
    `it is disconnected because ${because.source}`,
    () => run.link === LinkState.DISCONNECTED && because.test(reason(run)),
  );
}

(hasPostgres ? describe : describe.skip)(`a database that does not take everything: ${postgres}`, () => {
  let server: PostgresServer;
  before(async () => (server = await PostgresServer.start()));
  after(() => server[Symbol.asyncDispose]());
  beforeEach(() => server.sql('DROP SCHEMA public CASCADE; CREATE SCHEMA public'));

  /** From now on the server raises an error at a row with this condition. */
  const refuse = async (condition: string, code: string, table = 'tag_values'): Promise<void> => {
    await server.sql(
      `CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF ${condition} THEN RAISE EXCEPTION 'no such number' USING ERRCODE = '${code}'; END IF; RETURN NEW; END $$;
       CREATE TRIGGER refuse BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
  };

  it('gives up a row that the server refuses, alone, and says which it is', async () => {
    await using run = await startNode(paramsFor(server.port, { 'batch-age': 200 }));
    await until('it is connected', () => run.link === LinkState.CONNECTED);
    await refuse('NEW.int_value = 13', 'P0001');
    deliver(run, 0, 50);
    await until('the rest is stored', async () => (await tag0(server)).length === 49);
    expect((await tag0(server)).sort()).to.deep.equal(
      upTo(50)
        .filter((value) => value !== '13')
        .sort(),
    );
    expect(await server.count(`SELECT count(*) FROM tag_values WHERE tag = 'tag1'`)).to.equal(50);
    expect(run.count('dropped_msgs_total')).to.equal(1);
    const lines = run.lines.filter((line) => line.includes('gave up'));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(
      /the value of the tag tag0 in the group grp of the node modbus of 2025-05-01T00:00:00.013Z.*no such number/,
    );
    expect(run.link).to.equal(LinkState.CONNECTED);
  });

  it('gives up a row of a table with a row for each sample, too', async () => {
    await using run = await startNode(paramsFor(server.port, { 'batch-age': 200, form: 1 }));
    const stored = (): Promise<number> => server.count('SELECT count(*) FROM modbus_grp').catch(() => 0);
    deliver(run, 0, 1);
    await until('the table is there', async () => (await stored()) === 1);
    await refuse('NEW.tag0 = 13', '22003', 'modbus_grp');
    deliver(run, 1, 50);
    await until('the rest is stored', async () => (await stored()) === 49);
    expect(run.lines.filter((line) => line.includes('gave up')).join()).to.match(
      /the sample of the group grp of the node modbus of 2025-05-01T00:00:00.013Z/,
    );
  });

  it('keeps everything while the server says that its disk is full', async () => {
    await using run = await startNode(paramsFor(server.port));
    await until('it is connected', () => run.link === LinkState.CONNECTED);
    await refuse('true', '53100');
    deliver(run, 0, 20);
    await disconnected(run, /no such number. \(53100\) The disk of the server is full/);
    await server.sql('DROP FUNCTION refuse CASCADE');
    await until('all is stored', async () => (await tag0(server)).length === 20);
    expect(await tag0(server)).to.deep.equal(upTo(20));
    expect(run.count('dropped_msgs_total')).to.equal(0);
  });

  it('says how to make a table that is missing and may not be made, and goes on when it is there', async () => {
    await using run = await startNode(paramsFor(server.port, { create_tables: false }), 10);
    deliver(run, 0, 10);
    await disconnected(run, /There is no table "public"."tag_values".*CREATE TABLE/);
    const [statement] = /CREATE TABLE.*;/.exec(reason(run)) ?? [''];
    await server.sql(statement);
    await until('all is stored', async () => (await tag0(server)).length === 10);
  });

  it('makes a table again that was dropped, and loses nothing', async () => {
    await using run = await startNode(paramsFor(server.port));
    deliver(run, 0, 10);
    await until('all is stored', async () => (await tag0(server)).length === 10);
    await server.sql('DROP TABLE tag_values');
    deliver(run, 10, 20);
    await until('the others are stored', async () => (await tag0(server)).length === 10);
    expect(await tag0(server)).to.deep.equal(upTo(10, 10));
    expect(run.lines.join()).to.contain('42P01');
  });

  it('takes no table in which rows that come twice would be stored twice, or in which rows cannot be', async () => {
    const columns = `time timestamptz NOT NULL, node text NOT NULL, "group" text NOT NULL, tag text NOT NULL, seq bigint NOT NULL,
      float_value float8, int_value int8, uint_value numeric, bool_value bool, text_value varchar, bytes_value bytea, error int, quality int8`;
    await server.sql(`CREATE TABLE tag_values (${columns}, plant text NOT NULL, PRIMARY KEY (time, tag))`);
    await using run = await startNode(paramsFor(server.port), 10);
    deliver(run, 0, 10);
    await disconnected(run, /the column "plant" .* may not be null and has no default/);
    await server.sql(`ALTER TABLE tag_values ALTER COLUMN plant SET DEFAULT 'here'`);
    await disconnected(run, /has no unique key of node, group, tag, time, seq/);
    await server.sql(`ALTER TABLE tag_values DROP CONSTRAINT tag_values_pkey`);
    const [statement] = /ALTER TABLE.*;/.exec(reason(run)) ?? [''];
    await server.sql(statement);
    await until('all is stored', async () => (await tag0(server)).length === 10);
    expect(await server.sql('SELECT DISTINCT plant FROM tag_values')).to.deep.equal([['here']]);
  });

  it('leaves a table that may not be altered as it is, and adds what is missing where it may', async () => {
    await using run = await startNode(paramsFor(server.port));
    await until('it is connected', () => run.link === LinkState.CONNECTED);
    await run.stop();
    await server.sql('ALTER TABLE tag_values DROP COLUMN bytes_value');
    await run.restart(paramsFor(server.port));
    await disconnected(run, /no column "bytes_value". Set "alter_tables" to true, or add it: ALTER TABLE/);
    await run.restart(paramsFor(server.port, { alter_tables: true }));
    deliver(run, 0, 10);
    await until('all is stored', async () => (await tag0(server)).length === 10);
  });

  it('waits for a server that takes a batch and does not answer, and stores it once', async () => {
    await using run = await startNode(paramsFor(server.port, { timeout: 300 }));
    deliver(run, 0, 10);
    await until('all is stored', async () => (await tag0(server)).length === 10);
    const locked = server.sql('BEGIN; LOCK TABLE tag_values; SELECT pg_sleep(1.5); COMMIT');
    await until(
      'the table is locked',
      async () =>
        (await server.count(`SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock'`)) > 0,
    );
    deliver(run, 10, 20);
    await disconnected(run, /timeout/);
    await locked;
    await until('all is stored', async () => (await tag0(server)).length >= 20);
    expect(await tag0(server)).to.deep.equal(upTo(20));
  });

  it('keeps what comes over an outage and restarts of server and node, in order and once', async () => {
    await using run = await startNode(paramsFor(server.port));
    deliver(run, 0, 10);
    await until('all is stored', async () => (await tag0(server)).length === 10);
    await server.kill('SIGKILL');
    deliver(run, 10, 50);
    await disconnected(run, /refuses connections/);
    await run.restart(paramsFor(server.port));
    deliver(run, 50, 60);
    await server.resume();
    await until('all is stored', async () => (await tag0(server)).length >= 60);
    expect(await tag0(server)).to.deep.equal(upTo(60));
    expect(run.count('dropped_msgs_total')).to.equal(0);
  });

  it('makes a new table a hypertable where the database can', async () => {
    await server.sql(
      `CREATE TABLE made (what text);
       CREATE FUNCTION create_hypertable(relation regclass, time_column_name name, if_not_exists boolean) RETURNS void
         LANGUAGE sql AS 'INSERT INTO made VALUES (relation::text || '' by '' || time_column_name)'`,
    );
    await using run = await startNode(paramsFor(server.port));
    await until('it is connected', () => run.link === LinkState.CONNECTED);
    await run.restart(paramsFor(server.port));
    await until('it is connected', () => run.link === LinkState.CONNECTED);
    expect(await server.sql('SELECT what FROM made')).to.deep.equal([['tag_values by time']]);
  });

  it('has its own words for a database that is missing, and for what is no database', async () => {
    await using run = await startNode(paramsFor(server.port, { database: 'moon' }));
    await disconnected(run, /database "moon" does not exist. \(3D000\) Check the setting "database"/);
    const sockets: Socket[] = [];
    const deaf = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
    const listening = await listenOn(deaf);
    try {
      await run.restart(paramsFor(listening.port, { timeout: 200 }));
      await disconnected(run, /no answer within 200 ms/);
    } finally {
      for (const socket of sockets) socket.destroy();
      deaf.close();
    }
  });
});

(hasPostgres ? describe : describe.skip)(`a login to a database: ${postgres}`, () => {
  it('is refused with a sentence when the password has changed, and what waited is stored with the new one', async () => {
    await using server = await PostgresServer.start({ hba: ['host all all 127.0.0.1/32 scram-sha-256'] });
    await server.sql(`CREATE ROLE writer LOGIN PASSWORD 'first'; GRANT CREATE ON SCHEMA public TO writer`);
    const params = (password: string): ReturnType<typeof paramsFor> =>
      paramsFor(server.port, { user: 'writer', password });
    await using run = await startNode(params('first'));
    deliver(run, 0, 10);
    await until('all is stored', async () => (await tag0(server)).length === 10);
    await server.sql(
      `ALTER ROLE writer PASSWORD 'second'; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'writer'`,
    );
    deliver(run, 10, 20);
    await disconnected(
      run,
      /password authentication failed.*\(28P01\) Check the settings "user" and "password"/,
    );
    expect(run.lines.join(), 'no password is logged').not.to.match(/first|second/);
    await run.restart(params('second'));
    await until('all is stored', async () => (await tag0(server)).length === 20);
    expect(await tag0(server)).to.deep.equal(upTo(20));
    await server.sql('REVOKE INSERT ON tag_values FROM writer; ALTER TABLE tag_values OWNER TO postgres');
    deliver(run, 20, 30);
    await disconnected(run, /permission denied.*\(42501\) Give the user/);
    await server.sql('GRANT INSERT, SELECT ON tag_values TO writer');
    await until('all is stored', async () => (await tag0(server)).length === 30);
  });
});
