import type { Module } from '../module.ts'
import { updateSuppression } from './update-suppression.ts'

export function suppressionModule(): Module {
  return { consumers: [updateSuppression] }
}
