import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import { imageRoutes } from './image-routes.ts'
import { createImageStore } from './image-store.ts'
import type { AssetDeps } from './manage-assets.ts'
import { assetRoutes } from './routes.ts'

export function assetsModule(deps: Omit<AssetDeps, 'images'>): Module {
  const images = createImageStore(deps.sql)
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) assetRoutes(app, { ...deps, images }, door)
      imageRoutes(app, images)
    },
  }
}
