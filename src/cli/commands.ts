/** Every command. Each is imported when it is called, so the service does not load them all. */
import type { Command } from './command.ts';

export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  migrate: async () => (await import('./migrate.ts')).migrate,
  backup: async () => (await import('./backup/backup.ts')).backup,
  restore: async () => (await import('./backup/restore.ts')).restore,
  'move-to-postgres': async () => (await import('./move/move-to-postgres.ts')).moveToPostgres,
  prepare: async () => (await import('./prepare.ts')).prepare,
  'keys make': async () => (await import('./keys/make.ts')).makeKeys,
  explain: async () => (await import('./explain-task.ts')).explainTask,
  doctor: async () => (await import('./doctor/doctor.ts')).doctor,
  'user list': async () => (await import('./user/list.ts')).userList,
  'user find': async () => (await import('./user/find.ts')).userFind,
  'user sessions': async () => (await import('./user/sessions.ts')).userSessions,
  'user passkeys': async () => (await import('./user/passkeys.ts')).userPasskeys,
  'user mfa-off': async () => (await import('./user/mfa-off.ts')).userMfaOff,
  'user suspend': async () => (await import('./user/suspend.ts')).userSuspend,
  'user lift': async () => (await import('./user/suspend.ts')).userLift,
  'user admin': async () => (await import('./user/admin.ts')).userAdmin,
  'user invite': async () => (await import('./user/invite.ts')).userInvite,
  'user delete': async () => (await import('./user/delete.ts')).userDelete,
  claim: async () => (await import('./claim.ts')).claim,
  'sign-up': async () => (await import('./sign-up.ts')).signUp,
  'keys rotate': async () => (await import('./keys/rotate.ts')).keysRotate,
  'keys forget': async () => (await import('./keys/forget.ts')).keysForget,
};
