import { defineConfig } from 'tsup';
import { library } from '../../.dev/tsup.ts';

export default defineConfig(library({ main: 'src/main.ts' }));
