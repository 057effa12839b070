// Main module of a gateway that may have few files and connections open: as many as FEW_FILES says.
import { execFileSync } from 'node:child_process';

const count = process.env['FEW_FILES'] ?? '';
execFileSync('prlimit', ['--pid', String(process.pid), `--nofile=${count}:${count}`]);

const main = new URL('../../host/dist/main.js', import.meta.url);
process.argv[1] = main.pathname;
await import(main.href);
