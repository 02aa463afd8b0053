/** Composes tasks and spaces. */
import { UserSettingsOut } from '../accounts/settings.schemas.ts';
import type { AccountListener, SettingsService } from '../accounts/settings.service.ts';
import { baseUrlOf } from '../config.ts';
import type { Db } from '../db/schema.ts';
import { ladderRoutes } from '../ladders/ladders.routes.ts';
import { LaddersService } from '../ladders/ladders.service.ts';
import { named } from '../lib/schema.ts';
import type { AccountNotices } from '../sign-in/account-notices.ts';
import { type InviteMailing, InvitesService } from '../spaces/invites.service.ts';
import { spaceRoutes } from '../spaces/spaces.routes.ts';
import { type SpaceListener, SpacesService } from '../spaces/spaces.service.ts';
import { agendaRoutes } from '../tasks/agenda/agenda.routes.ts';
import { AgendaService } from '../tasks/agenda/agenda.service.ts';
import { batchRoutes } from '../tasks/batches.routes.ts';
import { BatchesService } from '../tasks/batches.service.ts';
import { deleteTaskSlice, hideTaskSlice } from '../tasks/delete-tasks.ts';
import { labelRoutes } from '../tasks/labels/labels.routes.ts';
import { LabelsService } from '../tasks/labels/labels.service.ts';
import { taskLadderRoutes } from '../tasks/ladder/ladder.routes.ts';
import { TaskLadderService } from '../tasks/ladder/ladder.service.ts';
import { ReplanService } from '../tasks/replan.service.ts';
import { requestRoutes } from '../tasks/requests/requests.routes.ts';
import { RequestsService } from '../tasks/requests/requests.service.ts';
import { spaceTaskRoutes } from '../tasks/space-tasks.routes.ts';
import { SpaceTasksService } from '../tasks/space-tasks.service.ts';
import { ReachedTasksService } from '../tasks/stand-ins/reached-tasks.service.ts';
import { StandInLinks } from '../tasks/stand-ins/stand-in-links.ts';
import { standInRoutes } from '../tasks/stand-ins/stand-ins.routes.ts';
import { StandInsService } from '../tasks/stand-ins/stand-ins.service.ts';
import { statisticsRoutes } from '../tasks/statistics.routes.ts';
import { StatisticsService } from '../tasks/statistics.service.ts';
import { syncRoutes } from '../tasks/sync/sync.routes.ts';
import { SyncService } from '../tasks/sync/sync.service.ts';
import { TaskChanges, type WakeUp } from '../tasks/task-changes.ts';
import { taskSearchRoutes } from '../tasks/task-search.routes.ts';
import { TaskSearchService } from '../tasks/task-search.service.ts';
import { taskRoutes } from '../tasks/tasks.routes.ts';
import { TasksService } from '../tasks/tasks.service.ts';
import { timelineRoutes } from '../tasks/timeline/timeline.routes.ts';
import { type TaskReach, TimelineService } from '../tasks/timeline/timeline.service.ts';
import type { Parts, Shared } from './parts.ts';

export function composeTasks({ config, clock, extra }: Parts, db: Db, wakeUp: WakeUp) {
  const tasks = new TasksService(db, clock, wakeUp, config.MAX_OPEN_TASKS_PER_ACCOUNT);
  const replan = new ReplanService(clock, extra?.rowsAtOnce);
  const sync = new SyncService(db, clock);
  const statistics = new StatisticsService(db, clock);
  const standIns = new StandInsService(db, clock, wakeUp);
  const reachedTasks = new ReachedTasksService(db, clock, tasks);
  const standInLinks = new StandInLinks(standIns, reachedTasks, clock);
  const listener: AccountListener = {
    nudgeSettingsChanging: (trx, userId) => replan.replanOwner(trx, userId),
    accountSuspending: (trx, userId) => standIns.endOf(trx, userId),
    accountDeleting: (trx, userId) => standIns.endOf(trx, userId),
    // A changed setting may have ended a hold, so that held nudges are due now.
    settingsChanged: () => wakeUp(),
    hideSlice: (trx, userId, limit) => hideTaskSlice(trx, userId, limit),
    deleteSlice: (trx, userId, limit) => deleteTaskSlice(trx, userId, limit),
    accountDeleted: () => wakeUp(),
  };
  const requests = new RequestsService(db);
  const labels = new LabelsService(db);
  const spaceTasks = new SpaceTasksService(db, clock, extra?.rowsAtOnce);
  const spaceListener: SpaceListener = {
    memberLeaving: async (trx, spaceId, userId) => {
      await standIns.endOf(trx, userId, spaceId);
      await spaceTasks.memberLeaving(trx, spaceId, userId);
    },
    memberLeft: () => wakeUp(),
  };
  const changes = new TaskChanges(db, clock, wakeUp, config.MAX_OPEN_TASKS_PER_ACCOUNT);
  const ladders = new LaddersService(
    db,
    clock,
    (trx, userId) => replan.replanOwner(trx, userId),
    () => wakeUp(),
  );
  const routes = (settings: SettingsService, reach: TaskReach) => {
    const timeline = new TimelineService(db, clock, tasks, reach);
    return [
      taskRoutes(tasks),
      batchRoutes(new BatchesService(db, tasks, clock)),
      requestRoutes(requests, tasks),
      labelRoutes(labels),
      taskSearchRoutes(new TaskSearchService(db, clock)),
      agendaRoutes(new AgendaService(db, clock)),
      timelineRoutes(timeline),
      taskLadderRoutes(new TaskLadderService({ db, clock, changes, tasks, timeline })),
      ladderRoutes(ladders),
      standInRoutes(standIns, reachedTasks),
      spaceTaskRoutes(spaceTasks),
      statisticsRoutes(statistics),
      syncRoutes(sync, { schema: named(UserSettingsOut), read: (caller) => settings.get(caller) }),
    ];
  };
  return {
    listener,
    spaceListener,
    routes,
    replan,
    spaceTasks,
    sync,
    statistics,
    requests,
    labels,
    ladders,
    standIns,
    reachedTasks,
    standInLinks,
    service: tasks,
  };
}

export function composeSpaces(
  { config, clock, wallClock }: Parts,
  { db, mailer, throttle }: Shared,
  listener: SpaceListener,
  sendNotice: AccountNotices['send'],
) {
  const spaces = new SpacesService(db, clock, wallClock, listener);
  const baseUrl = baseUrlOf(config, config.PORT);
  const limitInvites = (userId: string) => throttle.enforce('invitesPerAccount', userId);
  const limitMails: InviteMailing['limitMails'] = (userId, email, send) =>
    throttle.limitInviteMails(userId, email, send);
  const mailing = { mailer, baseUrl, limitInvites, limitMails };
  const invites = new InvitesService(db, wallClock, spaces, mailing, {
    invited: ({ userId, sessionId }, space) => sendNotice(userId, { kind: 'invite_made', space }, sessionId),
    joined: (inviterId, name, space) => sendNotice(inviterId, { kind: 'invite_used', name, space }),
  });
  const accountListener: AccountListener = { accountDeleting: (trx, userId) => spaces.forgetAccount(trx, userId) };
  const findOpenInvite = (trx: Db, token: string) => invites.findOpen(trx, token);
  return { listener: accountListener, routes: [spaceRoutes(spaces, invites)], spaces, invites, findOpenInvite };
}
