// Headers that leading tools use for a contact's fields in their exports. A header matches by its letters and digits; case,
// spaces, punctuation and accents don't count. An ambiguous name is missing here, and so is one that a tool writes beside a
// better one: Google Contacts has Nickname and Occupation, mostly empty.
import { normalForm } from "../../kernel/Text.ts"

const names = (...lists: ReadonlyArray<string>): ReadonlyArray<string> => lists.flatMap((list) => list.split(" | "))

/** By the `api_name` of a standard field. */
export const headerSynonyms: Readonly<Record<string, ReadonlyArray<string>>> = {
  email: names(
    "E-mail | Email Address | Email ID | Mail | Primary Email | Contact Email | Person Email | Work Email",
    "Business Email | Subscriber Email | Customer Email | User Email | E-mail 1 - Value | Email 1",
  ),
  phone: names(
    "Phone Number | Telephone | Telephone Number | Tel | Mobile | Mobile Phone | Mobile Phone Number",
    "Mobile Number | Cell | Cell Phone | Primary Phone | Contact Phone | Work Phone | Business Phone",
    "Home Phone | SMS | SMS Phone | SMS Phone Number | WhatsApp | WhatsApp Phone Number | Phone 1 - Value",
    "Phone 1",
  ),
  first_name: names("Given Name | Forename | Fname | First | Contact First Name | Customer First Name"),
  last_name: names("Family Name | Surname | Lname | Last | Second Name | Contact Last Name | Customer Last Name"),
  display_name: names("Name | Full Name | Contact Name | Contact | Customer Name | Person"),
  company: names(
    "Company Name | Organization | Organisation | Organization Name | Organisation Name | Organization 1 - Name",
    "Account | Account Name | Associated Company | Primary Associated Company | Business | Business Name",
    "Employer",
  ),
  job_title: names("Title | Position | Role | Job | Job Role | Organization Title | Organization 1 - Title"),
  address: names(
    "Street | Street Address | Address 1 | Address Line 1 | Mailing Address | Mailing Address Line 1",
    "Mailing Street | Business Street | Home Street | Billing Street | Address 1 - Street | Postal Address",
  ),
  address2: names(
    "Address 2 | Address Line 2 | Street Address 2 | Street 2 | Mailing Address Line 2",
    "Address 1 - Extended Address | Apartment | Suite | Unit",
  ),
  city: names(
    "Town | City/Town | Locality | Mailing City | Business City | Home City | Billing City | Address 1 - City",
  ),
  state: names(
    "State/Region | State / Province | Province | Region | County | Mailing State | Mailing State/Province",
    "Business State | Home State | Billing State | Address 1 - Region",
  ),
  zip_code: names(
    "Zip | Postal Code | Postcode | Zip/Postal Code | Postal / Zip Code | Mailing Zip | Mailing Postal Code",
    "Mailing Zip/Postal Code | Business Postal Code | Home Postal Code | Billing Zip | Billing Postal Code",
    "Address 1 - Postal Code",
  ),
  country: names(
    "Country/Region | Country Name | Mailing Country | Business Country/Region | Home Country/Region",
    "Billing Country | Address 1 - Country",
  ),
  lead_status: names("Contact Status | Status of Lead"),
  lifecycle_stage: names("Lifecycle | Stage | Contact Stage | Customer Stage | Life Cycle Stage"),
  service_score: names("Lead Score | HubSpot Score | Contact Score | Engagement Score"),
  unsubscribed: names(
    "Unsubscribed from all email | Opted out of email | Email Opt Out | Has Opted Out Of Email | Opt Out",
    "Opted Out | Global Unsubscribe | Is Unsubscribed",
  ),
  marketing_email_subscribed: names(
    "Email Subscribed | Subscribed | Is Subscribed | Accepts Marketing | Accepts Email Marketing | Email Opt In",
    "Opt In | Opted In | Newsletter",
  ),
  marketing_sms_subscribed: names("SMS Subscribed | Accepts SMS Marketing | SMS Opt In"),
  original_source: names(
    "Source | Lead Source | Contact Source | Signup Source | Original Traffic Source | Original Source Type",
    "Initial Source",
  ),
  original_source_detail: names(
    "Original Source Details | Original Source Drill-Down 1 | Original Traffic Source Drill-Down 1",
    "Source Detail | Source Details",
  ),
}

/** The key of a header: its letters and digits in lower case, without accents. */
export const headerKey = (header: string): string =>
  normalForm(
    "NFC",
    normalForm("NFKD", header)
      .replace(/[^\p{L}\p{N}]/gu, "")
      .toLowerCase(),
  )

/** Only Mailchimp's files have both columns. */
const marks = ["LEID", "EUID"]

/** Columns that describe Mailchimp, not its contacts, though some look so: it guesses REGION from an IP address. */
const technical = [
  ...marks,
  ..."MEMBER_RATING OPTIN_TIME OPTIN_IP CONFIRM_TIME CONFIRM_IP LATITUDE LONGITUDE GMTOFF DSTOFF TIMEZONE CC".split(
    " ",
  ),
  ..."REGION LAST_CHANGED UNSUB_TIME UNSUB_CAMPAIGN_TITLE UNSUB_CAMPAIGN_ID UNSUB_REASON UNSUB_REASON_OTHER".split(" "),
  ..."CLEAN_TIME CLEAN_CAMPAIGN_TITLE CLEAN_CAMPAIGN_ID".split(" "),
]

/** The keys (`headerKey`) of the file's technical columns; empty when the file is not Mailchimp's. */
export const technicalColumns = (headers: ReadonlyArray<string>): ReadonlySet<string> => {
  const keys = new Set(headers.map(headerKey))
  return new Set(marks.every((mark) => keys.has(headerKey(mark))) ? technical.map(headerKey) : [])
}
