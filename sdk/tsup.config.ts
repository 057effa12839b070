import { defineConfig } from 'tsup';
import { library } from '../.dev/tsup.ts';

const entry = {
  index: 'src/index.ts',
  'json/index': 'src/json/index.ts',
  'link/index': 'src/link/index.ts',
  'spool/index': 'src/spool/index.ts',
  harness: 'src/harness/runner-harness.ts',
  'internal/index': 'src/internal/index.ts',
  'internal/process': 'src/internal/channel/process.ts',
};

export default defineConfig(library(entry, { dts: true }));
