import { serve } from '@tagway/words/test';
import { Simulator } from './simulator.ts';

const simulator = new Simulator();
await serve(simulator, simulator.d);
