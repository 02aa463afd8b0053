/** Who administers, by the settings. */
import { type AdminRules, isPrivateService } from '../admin/administrators.ts';
import type { Config } from '../config.ts';

export const adminRulesOf = ({ ADMINS = [], BASE_URL, HOST, TRUST_PROXY }: Config): AdminRules => ({
  admins: ADMINS,
  isFirstAccountAdmin: isPrivateService({
    baseUrl: BASE_URL,
    listenHost: HOST,
    isBehindProxy: TRUST_PROXY !== false,
  }),
});
