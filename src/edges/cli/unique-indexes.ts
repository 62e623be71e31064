import '../../core/access/teammate-model.js';
import '../../core/counters/daily-counters.js';
import '../../core/groups/group-model.js';
import '../../core/settings/settings-service.js';
import '../../features/billing/billing-record.js';
import '../../features/accounts/account-model.js';
import '../../features/members/member-model.js';
import '../../features/sync/plan/plan-model.js';
import '../../features/sync/plan/planned-change-model.js';
import '../../features/webhooks/delivery-model.js';
import { type UniqueIndex, uniqueIndexesOfModels } from '../../platforms/database/data-replacement.js';
import { rateLimitIndex } from '../http/rate-limits.js';

/** Every unique index that a start builds. Each model with one is imported above. */
export const uniqueIndexes = (): UniqueIndex[] => [...uniqueIndexesOfModels(), rateLimitIndex];
