import type { HttpApp } from '../../platform/http/http-app.ts'
import { doerOf } from '../auth/guard-site.ts'
import { PERSON_DOOR, routesOf } from '../door.ts'
import { askToReplay } from './parked-events.ts'
import { askToConfirm, type RestorationDeps, readRestoration } from './read-restoration.ts'
import { readSystem, type SystemDeps } from './read-system.ts'
import {
  ParkedReplay,
  ParkedReplayAsked,
  Restoration,
  RestorationConfirmation,
  RestorationConfirmed,
  System,
} from './schemas.ts'

/** For whoever runs the instance: whether it was restored, and that it may go on. */
export function restorationSite(app: HttpApp, deps: RestorationDeps & SystemDeps): void {
  const routes = routesOf(app, PERSON_DOOR, { path: '/restoration', family: 'Restoration' })

  routes.get('', 'get', {
    needs: 'login',
    summary: 'Read whether sending is held after a restore',
    answers: { 200: Restoration },
    handle: async (request) => readRestoration(deps, request.session.user.id),
  })

  routes.post('/confirm', 'confirm', {
    needs: 'login',
    summary: 'Let a restored installation go on',
    description: `For an owner of the first workspace. What was queued when it was held is put to its owners as uncertain,
unless it is to be sent; then sending and deliveries go on.`,
    body: RestorationConfirmation,
    answers: { 202: RestorationConfirmed },
    problems: [403, 409],
    handle: async (request) => {
      await askToConfirm(deps, request.body, doerOf(request))
      return { status: 'accepted' as const }
    },
  })

  const system = routesOf(app, PERSON_DOOR, { path: '/system', family: 'System' })

  system.get('', 'get', {
    needs: 'login',
    summary: 'Read how the installation fares',
    description: 'Of all workspaces, for an owner of the first one.',
    answers: { 200: System },
    problems: [403],
    handle: async (request) => readSystem(deps, request.session.user.id),
  })

  system.post('/parked/replay', 'replayParked', {
    needs: 'login',
    summary: 'Hand parked events to their readers again',
    description: 'For an owner of the first workspace. What fails again stays parked, with its new error.',
    body: ParkedReplay,
    answers: { 202: ParkedReplayAsked },
    problems: [403],
    handle: async (request) => {
      await askToReplay(deps, request.body, doerOf(request))
      return { status: 'accepted' as const }
    },
  })
}
