import { serve } from '@tagway/plc-words/test';
import { Simulator } from './simulator.ts';

const simulator = new Simulator();
await serve(simulator, simulator.d);
