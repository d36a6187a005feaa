import { readableOn } from '../readers/readable-on.ts'
import { readerTexts } from '../readers/reader-texts.ts'
import { labelOf } from './form-markup.ts'
import { honeypotOf } from './honeypot.ts'
import type { FormShown } from './show-form.ts'

/** A form as scripts show it (tracker/forms/send.ts). */
export function definitionOf({ form, brand, customNames, renderToken }: FormShown) {
  const { key, version, content } = form
  const texts = readerTexts(brand.language)
  return {
    ...{ key, version, language: brand.language },
    brand: {
      ...{ name: brand.name, color: brand.color, logoUrl: brand.logoUrl },
      onColor: brand.color === null ? null : readableOn(brand.color),
    },
    fields: content.fields.map((field) => ({ ...field, label: labelOf(field, { texts, customNames }) })),
    consentWording: content.consentWording,
    trap: honeypotOf(key),
    challenge: content.challenge !== 'off',
    renderToken,
    texts: {
      button: texts.signUpButton,
      optional: texts.optionalLabel,
      close: texts.closeButton,
      leaveEmpty: texts.leaveEmptyLabel,
      doneTitle: texts.newLinkTitle,
      doneText: texts.checkMailText,
      failed: texts.failedText,
      crowd: texts.crowdText,
      faults: {
        required: texts.requiredFault,
        email: texts.emailFault,
        long: texts.longFault,
        value: texts.valueFault,
      },
    },
  }
}
