// `npm run bench:page`: how the web page copes with many tags, and what its viewers cost the gateway.
import { optionsOf } from '../../kit/options.ts';
import { Report } from '../report.ts';
import { measureFleet } from './fleet.ts';
import { measureNodes } from './nodes.ts';
import { measureScale } from './scale.ts';
import { measureTabs } from './tabs.ts';
import { measureViewers } from './viewers.ts';

const usage = `Usage: npm run bench:page -- [options]

  --minutes N   How long the page is watched for a growing heap; 15 unless given.
  --figures     The figures alone, without the long form of the page's tests.
  --fleet       Of these that of a fleet alone, in a minute.
  --tabs        Of these those of five tabs alone, in two minutes.
  --help        Print this text and end.

The tests of e2e/page run first, with outages of 90 seconds, or of PAGE_SECONDS.
`;

const options = optionsOf(usage, {
  minutes: { type: 'string', default: '15' },
  figures: { type: 'boolean', default: false },
  tabs: { type: 'boolean', default: false },
  fleet: { type: 'boolean', default: false },
});

const minutes = Number(options.minutes);
if (!(minutes > 0)) throw new Error('--minutes takes a number, for example 15.');
const report = new Report();
if (!options.fleet) await measureTabs(report);
if (!options.tabs) await measureFleet(report);
if (!options.tabs && !options.fleet) {
  await measureViewers(report);
  await measureNodes(report);
  await measureScale(report, minutes);
}
process.stdout.write(`\n${report.table()}\n`);
if (report.hasMissed) process.exitCode = 1;
