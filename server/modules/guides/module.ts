import type { Module } from '../module.ts'
import { guidePages } from './guide-pages.ts'
import { createGuides } from './read-guides.ts'

export function guidesModule(): Module {
  return {
    routes(app) {
      guidePages(app, createGuides())
    },
  }
}
