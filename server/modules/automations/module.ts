import type { Module } from '../module.ts'
import { enrollAutomations } from './enroll-automations.ts'

export function automationsModule(): Module {
  return { consumers: [enrollAutomations] }
}
