import { storeContract } from '../contracts/store.ts';
import { sqliteFixture } from './sqlite-fixture.ts';

storeContract('SQLite', sqliteFixture);
