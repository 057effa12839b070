import { cases } from '@tagway/pluginkit';

cases(new URL('../', import.meta.url), new URL('cases/', import.meta.url));
