import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Gateway } from './gateway.ts';

/** The arguments of Node with which a gateway runs as a service: users run it so, and so do what measures it. */
export function serviceFlags(main: string = Gateway.main): string[] {
  const root = mkdtempSync(join(tmpdir(), 'tagway-unit-'));
  try {
    execFileSync(process.execPath, [main, 'service', 'install', '--root', root], { stdio: 'ignore' });
    const unit = readFileSync(join(root, 'etc/systemd/system/tagway.service'), 'utf8');
    const [, flags = ''] = /^ExecStart="[^"]*" ([^"]*)"/m.exec(unit) ?? [];
    return flags.split(' ').filter((flag) => flag !== '');
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
