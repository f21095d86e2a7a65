import { storeContract } from '../contracts/store.ts';
import { sqlitePlace } from './sqlite-place.ts';

storeContract('SQLite', sqlitePlace);
