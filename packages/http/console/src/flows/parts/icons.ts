// Icons of steps and triggers.
import type { ComponentType } from "react"
import {
  BoltIcon,
  BranchIcon,
  CalendarIcon,
  ClockIcon,
  ContactsIcon,
  EditIcon,
  EmailsIcon,
  ListsIcon,
  SparkIcon,
  TableIcon,
  TentsIcon,
} from "../../Icons.tsx"
import type { StepType, TriggerType } from "../draft/steps.ts"

type Icon = ComponentType<{ readonly size?: number }>

export const stepIcons: Readonly<Record<StepType, Icon>> = {
  send_email: EmailsIcon,
  wait: ClockIcon,
  condition_check: BranchIcon,
  create_email: SparkIcon,
  create_tent: TentsIcon,
}

export const triggerIcons: Readonly<Record<TriggerType, Icon>> = {
  added_to_static_list: ListsIcon,
  removed_from_static_list: ListsIcon,
  contact_created: ContactsIcon,
  contact_updated: EditIcon,
  date_based: CalendarIcon,
  form_submitted: TableIcon,
  service_api: BoltIcon,
}
