import { archiveLimits } from '@tagway/schemas';
import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Config, ConfigError, readCommand } from '../../src/config/config.ts';

function config(args: string[], env: NodeJS.ProcessEnv = {}): Config {
  const command = readCommand(args, env);
  if (!('config' in command)) throw new Error(`"${command.run}" has no configuration.`);
  return command.config;
}

describe('configuration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tagway-config-'));
  const file = join(folder, 'tagway.json');
  after(() => rmSync(folder, { recursive: true }));

  it('has defaults that keep the gateway on this machine', () => {
    expect(config([])).to.include({
      host: '127.0.0.1',
      port: 7000,
      data: resolve('tagway-data'),
      safe: false,
    });
  });

  it('takes bodies with the largest archive of a library, in base64 and with what stands beside it', () => {
    const archive = 'A'.repeat(4 * Math.ceil(archiveLimits.packed / 3));
    const body = { library: 'x'.repeat(255), file: archive, signature: 'x'.repeat(88) };
    expect(JSON.stringify(body).length).to.be.below(config([]).bodyLimit);
  });

  it('reads how a project is made, and refuses anything else that begins so', () => {
    expect(readCommand(['plugin', 'create', 'driver', 'my-meter'], {})).to.deep.equal({
      run: 'create',
      kind: 'driver',
      folder: resolve('my-meter'),
    });
    for (const words of [[], ['driver'], ['plc', 'x'], ['app', 'x', 'y']])
      expect(() => readCommand(['plugin', 'create', ...words], {}), words.join(' ')).to.throw(
        ConfigError,
        'plugin create driver NAME',
      );
  });

  it('takes the members of the etcd of a pair in several forms, with all that the pair needs', () => {
    const needed = ['--pair-id', 'plant', '--secrets-key', 'key'];
    const pairWith = (...args: string[]) => config([...args, ...needed]).pair;
    expect(config([]).pair).to.equal(undefined);
    expect(pairWith('--pair', 'etcd://10.0.0.5:2379,10.0.0.6,[fd00::1]:2000')).to.deep.equal({
      endpoints: ['http://10.0.0.5:2379', 'http://10.0.0.6:2379', 'http://[fd00::1]:2000'],
      id: 'plant',
    });
    expect(pairWith('--pair', 'http://a:80/, https://b', '--pair-url', 'http://west:7000/')).to.deep.equal({
      endpoints: ['http://a:80', 'https://b:2379'],
      id: 'plant',
      url: 'http://west:7000',
    });
    const files = ['--pair-ca', 'ca.pem', '--pair-cert', 'cert.pem', '--pair-key', 'key.pem'];
    expect(pairWith('--pair', 'a:1', ...files)).to.deep.equal({
      endpoints: ['https://a:1'],
      id: 'plant',
      ca: resolve('ca.pem'),
      cert: resolve('cert.pem'),
      key: resolve('key.pem'),
    });
    const refused: [string[], RegExp][] = [
      [['--pair', 'a', '--secrets-key', 'key'], /pair-id/],
      [['--pair', 'a', '--pair-id', 'a/b', '--secrets-key', 'key'], /pair-id/],
      [['--pair', 'a', '--pair-id', 'plant'], /secrets-key/],
      [['--pair', 'a', ...needed, '--inline'], /inline/],
      [['--pair', 'a', ...needed, '--pair-cert', 'cert.pem'], /need each other/],
      [['--pair', 'a', ...needed, '--pair-url', 'west'], /pair-url/],
      [['--pair', 'http://a/v3', ...needed], /not "http:\/\/a\/v3"/],
      [['--pair', ',', ...needed], /no member/],
      [['--pair-id', 'plant'], /needs "pair"/],
    ];
    for (const [args, what] of refused)
      expect(() => config(args), args.join(' ')).to.throw(ConfigError, what);
  });

  it('takes the source that the configuration is pulled from, and refuses what does not belong to one', () => {
    expect(config([]).source).to.equal(undefined);
    const folder = config(['--config-source', 'plant']).source;
    expect(folder).to.include({ interval: 60, drift: 'report' });
    expect(folder?.place).to.deep.equal({ folder: resolve('plant') });
    const placeOf = (...args: string[]): object => {
      const place = config(['--config-source', ...args]).source?.place;
      return place !== undefined && 'git' in place ? place.git : {};
    };
    expect(placeOf('git+https://me@git.example:8443/a/b.git#main:sites/a/')).to.include({
      protocol: 'https',
      url: 'https://git.example:8443/a/b.git',
      user: 'me',
      branch: 'main',
      path: 'sites/a',
      shown: 'git+https://git.example:8443/a/b.git#main:sites/a',
    });
    const ssh = ['--config-key', 'k', '--config-known-hosts', 'h'];
    expect(placeOf('git+ssh://git@git.example/a.git', ...ssh)).to.include({
      url: 'ssh://git@git.example/a.git',
      branch: undefined,
      path: '',
      key: resolve('k'),
    });
    expect(placeOf('git+file:///srv/a.git#x/y', '--config-signed')).to.include({
      url: 'file:///srv/a.git',
      branch: 'x/y',
      isSigned: true,
    });
    for (const [args, what] of [
      [['--config-drift', 'keep'], /"config-drift" needs "config-source"/],
      [['--config-source', 'plant', '--config-drift', 'undo'], /one of keep, report, revert/],
      [['--config-source', 'plant', '--config-interval', '0'], /from 1 to 86400/],
      [['--config-source', 'plant', '--config-token', 't'], /"config-token" is for sources of git\+https/],
      [['--config-source', 'http://git.example/a.git'], /is the path of a folder, or git\+https/],
      [['--config-source', 'git+http://git.example/a.git'], /is the path of a folder, or git\+https/],
      [['--config-source', 'git+ext::sh -c id'], /is the path of a folder, or git\+https/],
      [['--config-source', 'git+https://a:secret@git.example/a.git'], /has no password/],
      [['--config-source', 'git+https://git.example/a.git#--upload-pack=id'], /is no name of a branch/],
      [['--config-source', 'git+https://git.example/a.git#a..b'], /is no name of a branch/],
      [['--config-source', 'git+https://git.example/a.git#main:../..'], /is no folder of a repository/],
      [['--config-source', 'git+ssh://git@-oProxyCommand=id/a.git', ...ssh], /no good host/],
      [['--config-source', 'git+ssh://-oProxyCommand=id@host/a.git', ...ssh], /is to have a user/],
      [
        ['--config-source', 'git+ssh://git@host/a.git', '--config-key', 'k'],
        /needs "config-key".*known-hosts/,
      ],
      [['--config-source', 'git+https://host/a.git', '--config-cert', 'c'], /need each other/],
    ] as const)
      expect(() => config([...args]), args.join(' ')).to.throw(ConfigError, what);
  });

  it('takes the collector of OpenTelemetry, and refuses what does not belong to one', () => {
    expect(config([]).otlp).to.equal(undefined);
    expect(config(['--otlp-endpoint', 'http://10.0.0.5:4318/otlp/']).otlp).to.deep.equal({
      endpoint: 'http://10.0.0.5:4318/otlp',
      interval: 60,
      timeout: 10,
      compression: 'gzip',
      logs: false,
      traces: 0,
      resource: {},
      headers: undefined,
      ca: undefined,
      cert: undefined,
      key: undefined,
    });
    writeFileSync(
      file,
      '{"otlp-endpoint": "https://a:4318", "otlp-interval": 5, "otlp-cert": "c", "otlp-key": "k"}',
    );
    const env = { TAGWAY_OTLP_RESOURCE: 'site=hall%203, team = a=b ,', TAGWAY_OTLP_HEADERS: 'h' };
    expect(config(['--config', file, '--otlp-compression', 'none'], env).otlp).to.include({
      interval: 5,
      compression: 'none',
      headers: resolve('h'),
      cert: resolve('c'),
      key: resolve('k'),
    });
    expect(config(['--config', file], env).otlp?.resource).to.deep.equal({ site: 'hall 3', team: 'a=b' });
    expect(config(['--config', file, '--otlp-logs']).otlp?.logs).to.equal(true);
    const endpoint = ['--otlp-endpoint', 'https://a:4318'];
    for (const [args, what] of [
      [['--otlp-logs'], /"otlp-logs" needs "otlp-endpoint"/],
      [['--otlp-interval', '5'], /"otlp-interval" needs "otlp-endpoint"/],
      [['--otlp-endpoint', 'a:4318'], /must be the address of a collector/],
      [['--otlp-endpoint', 'grpc://a:4317'], /must be the address of a collector/],
      [['--otlp-endpoint', 'http://a:4318/v1/metrics'], /must be the address of a collector/],
      [['--otlp-endpoint', 'http://me:secret@a'], /Credentials belong into the file/],
      [['--otlp-endpoint', 'http://a?token=secret'], /Credentials belong into the file/],
      [[...endpoint, '--otlp-interval', '0'], /from 1 to 3600/],
      [[...endpoint, '--otlp-traces', '1.5'], /from 0 to 1000000/],
      [[...endpoint, '--otlp-timeout', '601'], /from 1 to 600/],
      [[...endpoint, '--otlp-compression', 'zip'], /one of gzip, none/],
      [[...endpoint, '--otlp-cert', 'c'], /need each other/],
      [['--otlp-endpoint', 'http://a', '--otlp-ca', 'c'], /with https/],
      [[...endpoint, '--otlp-resource', 'site'], /must be a list such as/],
      [[...endpoint, '--otlp-resource', 'site=%zz'], /must be a list such as/],
    ] as const)
      expect(() => config([...args]), args.join(' '))
        .to.throw(ConfigError, what)
        .and.not.match(/secret/);
  });

  it('takes addresses and networks of trusted proxies, and nothing else', () => {
    expect(config([]).trustedProxies).to.deep.equal([]);
    expect(config(['--trusted-proxy', '10.0.0.0/8, 192.0.2.1,2001:db8::/32']).trustedProxies).to.deep.equal([
      '10.0.0.0/8',
      '192.0.2.1',
      '2001:db8::/32',
    ]);
    for (const bad of ['proxy.local', '10.0.0.0/33', '2001:db8::/129', '10.0.0.0/8/8', '1.2.3.4/x'])
      expect(() => config([], { TAGWAY_TRUSTED_PROXY: bad }), bad).to.throw(
        ConfigError,
        `The variable TAGWAY_TRUSTED_PROXY takes IP addresses and networks such as 10.0.0.0/8, with commas between them, and not "${bad}".`,
      );
  });

  it('leaves changed log levels as they are, and with the family reverts them after ten minutes', () => {
    expect(config([]).logLevelRevert).to.equal(0);
    expect(config(['--compat', 'family']).logLevelRevert).to.equal(600);
    expect(config(['--compat', 'family', '--log-level-revert', '0']).logLevelRevert).to.equal(0);
  });

  it('takes the command line before the environment, and that before the file', () => {
    writeFileSync(file, JSON.stringify({ port: 1, host: '::1', 'log-level': 'debug', safe: true }));
    const { port, host, logLevel, safe } = config(['--config', file, '--port', '3'], {
      TAGWAY_PORT: '2',
      TAGWAY_HOST: '::2',
    });
    expect({ port, host, logLevel, safe }).to.deep.equal({
      port: 3,
      host: '::2',
      logLevel: 'debug',
      safe: true,
    });
  });

  it('finds the file through the environment', () => {
    writeFileSync(file, JSON.stringify({ 'runner-memory': 64 }));
    expect(config([], { TAGWAY_CONFIG: file }).runnerMemory).to.equal(64);
  });

  it('answers as the specification says, with tokens, over HTTP, unless told otherwise', () => {
    expect(config([])).to.include({ compat: 'specification', disableAuth: false, cors: false });
    expect(config([])).not.to.have.property('tls');
    const env = { TAGWAY_COMPAT: 'family', TAGWAY_DISABLE_AUTH: '1', TAGWAY_TLS_KEY: 'key.pem' };
    const { compat, disableAuth, tls } = config(['--tls-cert', 'cert.pem'], env);
    expect({ compat, disableAuth, tls }).to.deep.equal({
      compat: 'family',
      disableAuth: true,
      tls: { cert: resolve('cert.pem'), key: resolve('key.pem') },
    });
  });

  for (const [what, args] of [
    ['an unknown option', ['--prot', '1']],
    ['a port that is none', ['--port', '65536']],
    ['a port that is no number', ['--port', 'http']],
    ['a dialect that does not exist', ['--compat', 'families']],
    ['a certificate without its key', ['--tls-cert', 'cert.pem']],
    ['a way of making certificates that is none', ['--tls', 'acme']],
    ['two ways to a certificate', ['--tls', 'auto', '--tls-cert', 'c', '--tls-key', 'k']],
    ['an unknown log level', ['--log-level', 'verbose']],
    ['a file that is not there', ['--config', '/nowhere/tagway.json']],
  ] as const) {
    it(`refuses ${what}`, () => {
      expect(() => config([...args])).to.throw(ConfigError);
    });
  }

  for (const [what, text] of [
    ['that is not JSON', '{'],
    ['that holds a list', '[]'],
    ['with an unknown key', '{"prot": 1}'],
    ['with a key of the wrong kind', '{"port": {}}'],
  ] as const) {
    it(`refuses a file ${what}, and names it`, () => {
      writeFileSync(file, text);
      expect(() => config(['--config', file])).to.throw(ConfigError, file);
    });
  }

  it('never ignores a switch, whatever it is set to', () => {
    expect(config([], { TAGWAY_SAFE: 'true', TAGWAY_CORS: '0' })).to.include({ safe: true, cors: false });
    expect(() => config([], { TAGWAY_SAFE: 'yes' })).to.throw(
      ConfigError,
      'The variable TAGWAY_SAFE is a switch: it takes 1 or true, 0 or false, and not "yes".',
    );
    writeFileSync(file, JSON.stringify({ 'require-signature': 'yes' }));
    expect(() => config(['--config', file])).to.throw(ConfigError, `The key "require-signature" of the`);
  });

  it('refuses a value that is empty, or of another kind, and says where it stands', () => {
    expect(() => config([], { TAGWAY_PORT: '' })).to.throw(ConfigError, 'The variable TAGWAY_PORT is empty');
    expect(() => config(['--data', ''])).to.throw(ConfigError, 'The option --data is empty');
    expect(() => config([], { TAGWAY_PORT: 'tcp://10.0.0.1:7000' })).to.throw(
      ConfigError,
      /enableServiceLinks/,
    );
    for (const text of ['{"port": true}', '{"port": ""}', '{"host": false}', '{"reset-password": true}']) {
      writeFileSync(file, text);
      expect(() => config(['--config', file]), text).to.throw(ConfigError, file);
    }
  });

  it('warns once of variables that look like options', () => {
    expect(config([], { TAGWAY_HOST: '::1', HOME: '/' }).warnings).to.deep.equal([]);
    const env = { TAGWAY_SERVICE_HOST: '10.0.0.1', TAGWAY_HOSTS: '::1' };
    const { warnings } = config([], env);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include('TAGWAY_SERVICE_HOST, TAGWAY_HOSTS');
  });

  it('reads what is to be done with plugins, with options anywhere', () => {
    const command = readCommand(
      ['plugin', '--port', '1', 'install', 'a.tgz', '--url', 'http://a', '--ca', 'ca.pem'],
      {
        TAGWAY_PASSWORD: 'secret',
      },
    );
    expect(command).to.deep.include({
      run: 'plugin',
      plugin: {
        action: 'install',
        subject: 'a.tgz',
        url: 'http://a',
        ca: 'ca.pem',
        user: 'admin',
        password: 'secret',
        token: undefined,
        prerelease: false,
        accepts: [],
      },
    });
    expect(readCommand(['plugin', 'list'], {})).to.deep.include({
      plugin: {
        action: 'list',
        subject: '',
        url: undefined,
        ca: undefined,
        user: 'admin',
        password: undefined,
        token: undefined,
        prerelease: false,
        accepts: [],
      },
    });
    for (const words of ['plugin', 'plugin install', 'plugin list all', 'plugin remove a b', 'start']) {
      expect(() => readCommand(words.split(' '), {}), words).to.throw(ConfigError);
    }
  });

  it('reads what is to be done with a pair', () => {
    expect(readCommand(['pair', 'switch', '--url', 'http://a'], {})).to.deep.include({
      run: 'pair',
      pair: {
        action: 'switch',
        url: 'http://a',
        ca: undefined,
        user: 'admin',
        password: undefined,
        token: undefined,
      },
    });
    expect(readCommand(['pair', 'status'], {}).run).to.equal('pair');
    for (const words of ['pair', 'pair break', 'pair switch east'])
      expect(() => readCommand(words.split(' '), {}), words).to.throw(
        ConfigError,
        'pair status or pair switch',
      );
  });

  it('reads what is to be done with a configuration folder', () => {
    const folder = (words: string, env: NodeJS.ProcessEnv = {}): unknown => {
      const command = readCommand(words.split(' '), env);
      return 'folder' in command && command.run === 'config' ? command.folder : undefined;
    };
    const access = { url: undefined, ca: undefined, user: 'admin', password: undefined, token: undefined };
    expect(folder('config plan /a --json', { TAGWAY_SECRETS: '/s', TAGWAY_SECRET_X: 'x' })).to.deep.equal({
      action: 'plan',
      folder: '/a',
      json: true,
      revision: undefined,
      vars: undefined,
      secrets: '/s',
      ...access,
    });
    expect(folder('config check /a --vars north')).to.deep.include({ vars: 'north' });
    expect(folder('config apply /a --revision "r"')).to.deep.include({ action: 'apply', revision: '"r"' });
    for (const words of [
      'config',
      'config plan',
      'config plan a b',
      'config show a',
      'config apply a --json',
    ])
      expect(() => readCommand(words.split(' '), {}), words).to.throw(ConfigError);
    for (const [option, commands] of [
      ['--json', 'tagway config and tagway fleet'],
      ['--secrets /s', 'tagway config alone'],
      ['--revision r', 'tagway config alone'],
    ] as const)
      expect(() => readCommand(`pair status ${option}`.split(' '), {}), option).to.throw(
        `is for ${commands}`,
      );
    expect(readCommand([], { TAGWAY_SECRET_X: 'x' })).to.have.nested.property('config.warnings').that.is
      .empty;
  });

  it('knows the other commands', () => {
    expect(readCommand(['--help'], {}).run).to.equal('help');
    expect(readCommand(['--version'], {}).run).to.equal('version');
    expect(readCommand(['--reset-password'], {}).run).to.equal('reset-password');
  });
});
