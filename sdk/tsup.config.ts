import { defineConfig } from 'tsup';
import { library } from '../.dev/tsup.ts';

const entry = {
  index: 'src/index.ts',
  'spool/index': 'src/spool/index.ts',
  'runner/index': 'src/runner/index.ts',
  'runner/process': 'src/runner/process.ts',
};

export default defineConfig(library(entry, { dts: true }));
