import { defineConfig } from 'tsup';
import { library } from '../../.dev/tsup.ts';

export default defineConfig(
  library({ index: 'src/index.ts' }, { dts: true, noExternal: [/^@tagway\/schemas/] }),
);
