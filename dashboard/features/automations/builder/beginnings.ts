import { mailOf } from './beginning-mail.ts'
import type { Definition } from './edit-flow.ts'

/** An automation to begin with: whole, with its mails, and every part of it to be changed. */
export type Beginning = {
  key: string
  name: string
  does: string
  definition: Definition
  /** A custom field that it asks for, and that is made with it where there is none. */
  needs?: { key: string; name: string; type: 'date' }
}

const SHOP = 'https://example.com'

export const BEGINNINGS: readonly Beginning[] = [
  {
    key: 'welcome',
    name: 'Welcome series',
    does: 'Three mails in the first week after a sign-up, by a form here or in your shop, each in the morning of a weekday.',
    definition: {
      format: 1,
      enter: { on: [{ event: 'form.confirmed' }, { event: 'signed.up' }] },
      start: 'hello',
      nodes: {
        hello: {
          type: 'email',
          subject: 'Welcome, {{ first_name | default: "friend" }}',
          body: mailOf({
            heading: 'Good to have you',
            text: ['Here is the one thing to do first.'],
            button: { label: 'Begin', href: SHOP },
          }),
          to: 'two-days',
        },
        'two-days': { type: 'delay', days: 2, at: '09:00', on: ['mon', 'tue', 'wed', 'thu', 'fri'], to: 'tip' },
        tip: {
          type: 'email',
          subject: 'One thing that most people miss',
          body: mailOf({ heading: 'One thing that most people miss', text: ['Say here what helps most.'] }),
          to: 'three-days',
        },
        'three-days': { type: 'delay', days: 3, at: '09:00', on: ['mon', 'tue', 'wed', 'thu', 'fri'], to: 'question' },
        question: {
          type: 'email',
          subject: 'How is it going?',
          body: mailOf({ heading: 'How is it going?', text: ['Just answer this mail. A person reads it.'] }),
          to: 'welcomed',
        },
        welcomed: { type: 'tag', add: ['welcomed'], to: 'end' },
      },
    },
  },
  {
    key: 'cart',
    name: 'Forgotten cart',
    does: 'Reminds of each cart by itself two hours later, and once more a day after; whoever pays leaves at once.',
    definition: {
      format: 1,
      enter: { on: [{ event: 'cart.updated' }], again: { mode: 'restart', key: 'cartId' } },
      exit: [{ event: 'order.paid', match: { cartId: 'cartId' } }],
      goal: { event: 'order.paid', match: { cartId: 'cartId' }, value: 'total', within: 'P7D' },
      start: 'rest',
      nodes: {
        rest: { type: 'delay', hours: 2, to: 'remind' },
        remind: {
          type: 'email',
          subject: 'You left something behind',
          notLaterThan: 'PT12H',
          body: mailOf({
            heading: 'You left something behind',
            text: ['Your cart is as you left it.'],
            button: { label: 'Back to your cart', href: `${SHOP}/cart/{{ event.cartId }}` },
          }),
          to: 'a-day',
        },
        'a-day': { type: 'delay', days: 1, to: 'clicked' },
        clicked: {
          type: 'branch',
          ways: [
            {
              if: { combinator: 'and', rules: [{ field: 'clicked', operator: 'has', value: 'remind' }] },
              to: 'interested',
            },
          ],
          else: 'again',
        },
        interested: { type: 'tag', add: ['interested'], to: 'end' },
        again: {
          type: 'email',
          subject: 'Shall we keep your cart?',
          body: mailOf({
            heading: 'Shall we keep your cart?',
            text: ['We keep it for a week. After that what is in it is free for others.'],
            button: { label: 'Back to your cart', href: `${SHOP}/cart/{{ event.cartId }}` },
          }),
          to: 'end',
        },
      },
    },
  },
  {
    key: 'win-back',
    name: 'Win-back',
    does: 'Sixty days after the last order: a mail, and a tag for those who do not come back within two weeks.',
    definition: {
      format: 1,
      enter: { on: [{ event: 'order.paid' }], again: { mode: 'restart' } },
      start: 'sixty-days',
      nodes: {
        'sixty-days': { type: 'delay', days: 60, at: '10:00', to: 'miss' },
        miss: {
          type: 'email',
          subject: 'It has been a while',
          body: mailOf({
            heading: 'It has been a while',
            text: ['This is new since you were here last.'],
            button: { label: 'See what is new', href: SHOP },
          }),
          to: 'two-weeks',
        },
        'two-weeks': { type: 'delay', days: 14, to: 'gone' },
        gone: { type: 'tag', add: ['lapsed'], to: 'end' },
      },
    },
  },
  {
    key: 'birthday',
    name: 'Birthday',
    does: 'Congratulates in the morning of the day, and reminds of the gift a week later who has not used it.',
    needs: { key: 'birthday', name: 'Birthday', type: 'date' },
    definition: {
      format: 1,
      enter: { on: [{ date: 'birthday', repeat: 'yearly', at: '09:00' }] },
      goal: { event: 'order.paid', value: 'total', within: 'P14D' },
      start: 'congratulate',
      nodes: {
        congratulate: {
          type: 'email',
          subject: 'Happy birthday, {{ first_name | default: "friend" }}',
          notLaterThan: 'PT12H',
          body: mailOf({
            heading: 'Happy birthday',
            text: ['This is for you, for two weeks from today.'],
            button: { label: 'Choose your gift', href: `${SHOP}/gift` },
          }),
          to: 'used',
        },
        used: { type: 'wait', for: [{ event: 'order.paid', to: 'gift-used' }], timeout: 'P7D', late: 'still-there' },
        'gift-used': { type: 'tag', add: ['birthday gift used'], to: 'end' },
        'still-there': {
          type: 'email',
          subject: 'Your gift is still there',
          body: mailOf({
            heading: 'Your gift is still there',
            text: ['It is yours for another week.'],
            button: { label: 'Choose your gift', href: `${SHOP}/gift` },
          }),
          to: 'end',
        },
      },
    },
  },
  {
    key: 'trial',
    name: 'Trial ending',
    does: 'Three days before a trial of two weeks ends, and on its last day; whoever subscribes leaves at once.',
    definition: {
      format: 1,
      enter: { on: [{ event: 'trial.started' }] },
      exit: [{ event: 'subscription.started' }],
      goal: { event: 'subscription.started', within: 'P21D' },
      start: 'until-soon',
      nodes: {
        'until-soon': { type: 'delay', days: 11, at: '09:00', to: 'soon' },
        soon: {
          type: 'email',
          subject: 'Your trial ends in three days',
          body: mailOf({
            heading: 'Your trial ends in three days',
            text: ['Nothing is lost: what you have made stays for a month.'],
            button: { label: 'Choose a plan', href: `${SHOP}/plans` },
          }),
          to: 'until-last',
        },
        'until-last': { type: 'delay', days: 3, at: '09:00', to: 'last' },
        last: {
          type: 'email',
          subject: 'Today is the last day of your trial',
          notLaterThan: 'PT12H',
          body: mailOf({
            heading: 'Today is the last day',
            text: ['If it was not for you, answer and say why: that helps us.'],
            button: { label: 'Choose a plan', href: `${SHOP}/plans` },
          }),
          to: 'end',
        },
      },
    },
  },
  {
    key: 'post-purchase',
    name: 'After a purchase',
    does: 'Thanks at once, and asks for a review ten days later, for each order by itself.',
    definition: {
      format: 1,
      enter: { on: [{ event: 'order.paid' }], again: { mode: 'every', key: 'orderId' } },
      start: 'thanks',
      nodes: {
        thanks: {
          type: 'email',
          subject: 'Thank you for your order',
          body: mailOf({ heading: 'Thank you', text: ['This is how to get the most out of it.'] }),
          to: 'ten-days',
        },
        'ten-days': { type: 'delay', days: 10, at: '18:00', to: 'review' },
        review: {
          type: 'email',
          subject: 'How do you like it?',
          body: mailOf({
            heading: 'How do you like it?',
            text: ['Two sentences of yours help the next one to choose.'],
            button: { label: 'Write a review', href: `${SHOP}/reviews/{{ event.orderId }}` },
          }),
          to: 'end',
        },
      },
    },
  },
  {
    key: 'confirm-reminder',
    name: 'Reminder to confirm',
    does: 'With double opt-in: reminds who has not confirmed after two days, once, as service mail, and tags who never does.',
    definition: {
      format: 1,
      class: 'service',
      enter: { on: [{ event: 'contact.created' }] },
      goal: { event: 'marketing.confirmed', within: 'P7D' },
      start: 'first',
      nodes: {
        first: { type: 'wait', for: [{ event: 'marketing.confirmed', to: 'end' }], timeout: 'P2D', late: 'remind' },
        remind: {
          type: 'email',
          subject: 'Did you get our mail?',
          body: mailOf({
            heading: 'One click is missing',
            text: [
              'Two days ago we asked you to confirm your address. Look for that mail, in the junk folder too, and press its button.',
              'It was not you? Then there is nothing to do: we write no more.',
            ],
          }),
          to: 'second',
        },
        second: { type: 'wait', for: [{ event: 'marketing.confirmed', to: 'end' }], timeout: 'P5D', late: 'never' },
        never: { type: 'tag', add: ['never confirmed'], to: 'end' },
      },
    },
  },
  {
    key: 'sunset',
    name: 'Sunset of the silent',
    does: 'For a segment that you enrol: asks whether they still want mail, and tags who does not click within two weeks.',
    definition: {
      format: 1,
      enter: { on: [{ manual: true }] },
      start: 'still',
      nodes: {
        still: {
          type: 'email',
          subject: 'Do you still want to hear from us?',
          body: mailOf({
            heading: 'Do you still want to hear from us?',
            text: ['One click, and everything stays as it is. Without one we stop writing.'],
            button: { label: 'Yes, keep me', href: SHOP },
          }),
          to: 'two-weeks',
        },
        'two-weeks': { type: 'delay', days: 14, to: 'clicked' },
        clicked: {
          type: 'branch',
          ways: [
            { if: { combinator: 'and', rules: [{ field: 'clicked', operator: 'has', value: 'still' }] }, to: 'end' },
          ],
          else: 'silent',
        },
        silent: { type: 'tag', add: ['silent'], to: 'end' },
      },
    },
  },
]
