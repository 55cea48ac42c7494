#define _GNU_SOURCE
#include "mgr_client.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LIBRARY_VERSION 1
#define MAX_NAME_BYTES 255
/* A subject has at most 64 tokens, two of which belong to no part of a name. */
#define MAX_NAME_PARTS 62
#define MAX_CLIENT_NAME_BYTES 512
/* Messages of a chain that are named in a header. */
#define MAX_STAGES 8
#define MAX_STAGE_NAME_BYTES 1024
#define MAX_SUBJECT_BYTES (MAX_NAME_BYTES * 3 + 16)
#define MAX_UNSENT_BYTES (8 * 1024 * 1024)
#define MAX_SAFE_INTEGER 9007199254740991
#define MAX_PRIORITY 7
#define MAX_RELIABLE_BYTES (4 * 1024 * 1024)
/* Between two refusals that are written to standard error. */
#define QUIET_NS 10000000000
#define REGISTER_TIMEOUT_MS 10000
#define RECONNECT_WAIT_MS 200
#define PING_INTERVAL_MS 2000
#define MAX_PINGS_OUT 2

/* What a topic is, for subscribers that ask. Kept until the client is closed: it may just be sent. */
typedef struct info {
  char *text;
  struct info *next;
} info;

struct mgr_publisher {
  mgr_client *client;
  mgr_publisher *next;
  char *topic_json; /* its entry in the registration */
  char *name;
  char subject[MAX_SUBJECT_BYTES];
  info *info;
  natsSubscription *info_subscription;
  mgr_refused on_refused;
  void *closure;
  uint64_t seq;
};

struct mgr_subscription {
  mgr_client *client;
  mgr_subscription *next;
  char *topic;
  natsSubscription *subscription;
  mgr_receiver receiver;
  void *closure;
  uint64_t last_seq; /* 0: none yet */
  int64_t last_time;
};

struct mgr_client {
  natsConnection *connection;
  char *name_json;
  pthread_mutex_t registering; /* one registration at a time */
  pthread_mutex_t lock;        /* guards what follows, and the sequence numbers */
  pthread_cond_t ended;        /* a callback will not run any more: of a subscription, a refusal, or of the connection */
  int active;                  /* subscriptions that have not ended */
  bool is_closed;              /* no callback of the connection runs any more */
  mgr_publisher *refused;      /* whose on_refused runs now; NULL: of none */
  int64_t quiet_until;         /* nanoseconds */
  mgr_publisher *publishers;
  info *infos;
  mgr_subscription *subscriptions;
  mgr_counters counters;
};

static _Thread_local char last_error[512];

const char *mgr_client_error(void) { return last_error; }

static natsStatus failed(natsStatus status, const char *what) {
  if (status != NATS_OK) snprintf(last_error, sizeof last_error, "%s: %s", what, natsStatus_GetText(status));
  return status;
}

static natsStatus refused(natsStatus status, const char *sentence) {
  snprintf(last_error, sizeof last_error, "%s", sentence);
  return status;
}

/* "arm/joint 1" becomes PREFIX and "arm.joint%201". */
static bool subject_of(char *subject, const char *prefix, const char *name) {
  size_t size = strlen(name);
  if (size == 0 || size > MAX_NAME_BYTES || name[0] == '/' || name[size - 1] == '/' || strstr(name, "//") != NULL) return false;
  int parts = 1;
  for (const char *at = name; *at; at++) parts += *at == '/';
  if (parts > MAX_NAME_PARTS) return false;
  char *at = stpcpy(subject, prefix);
  for (const unsigned char *byte = (const unsigned char *)name; *byte; byte++) {
    bool is_plain = (*byte >= '0' && *byte <= '9') || (*byte >= 'A' && *byte <= 'Z') || (*byte >= 'a' && *byte <= 'z') || *byte == '_' || *byte == '-';
    if (is_plain) *at++ = (char)*byte;
    else if (*byte == '/') *at++ = '.';
    else at += sprintf(at, "%%%02X", *byte);
  }
  *at = '\0';
  return true;
}

/* A JSON string with its quotes, to be freed. */
static char *json_string(const char *text) {
  char *json = malloc(strlen(text) * 6 + 3), *at = json;
  if (json == NULL) return NULL;
  *at++ = '"';
  for (const unsigned char *byte = (const unsigned char *)text; *byte; byte++) {
    if (*byte == '"' || *byte == '\\') at += sprintf(at, "\\%c", *byte);
    else if (*byte < 0x20) at += sprintf(at, "\\u%04x", *byte);
    else *at++ = (char)*byte;
  }
  strcpy(at, "\"");
  return json;
}

/* Removes white space outside of strings. */
static void compact(char *json) {
  bool is_text = false;
  char *to = json;
  for (const char *from = json; *from; from++) {
    if (is_text && *from == '\\' && from[1] != '\0') *to++ = *from++;
    else if (*from == '"') is_text = !is_text;
    if (is_text || strchr(" \t\r\n", *from) == NULL) *to++ = *from;
  }
  *to = '\0';
}

/* The text of `"message":"…"` from here on becomes the error. */
static natsStatus refused_by_broker(const char *json) {
  const char *key = "\"message\":\"";
  const char *from = strstr(json, key);
  if (from == NULL) return refused(NATS_NOT_PERMITTED, "the broker refused the registration");
  size_t length = 0;
  for (from += strlen(key); *from && *from != '"' && length < sizeof last_error - 1; from++) {
    if (*from == '\\' && from[1] != '\0') from++;
    last_error[length++] = *from;
  }
  last_error[length] = '\0';
  return NATS_NOT_PERMITTED;
}

static char *registration(mgr_client *client) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) return NULL;
  const char *debug = getenv("MGR_DEBUG");
  fprintf(out, "{\"name\":%s,\"pid\":%d,\"library_version\":%d,", client->name_json, (int)getpid(), LIBRARY_VERSION);
  fprintf(out, "\"svc_debug\":%s,\"topics\":[", debug != NULL && strcmp(debug, "1") == 0 ? "true" : "false");
  for (mgr_publisher *each = client->publishers; each != NULL; each = each->next) fprintf(out, "%s%s", each->topic_json, each->next ? "," : "");
  fputs("]}", out);
  fclose(out);
  return text;
}

/* Sends the whole list. NATS_NOT_PERMITTED: the broker refused it, or the topic of `wanted` (may be NULL). */
static natsStatus send_registration(mgr_client *client, const mgr_publisher *wanted) {
  natsMsg *answer = NULL;
  natsStatus status = NATS_OK;
  pthread_mutex_lock(&client->registering);
  pthread_mutex_lock(&client->lock);
  char *text = registration(client);
  pthread_mutex_unlock(&client->lock);
  /* No broker of mgr answers on a plain nats-server: the client goes on unregistered. */
  if (text != NULL && natsConnection_RequestString(&answer, client->connection, "mgr.client.register", text, REGISTER_TIMEOUT_MS) == NATS_OK) {
    char *json = strndup(natsMsg_GetData(answer), (size_t)natsMsg_GetDataLength(answer));
    if (json != NULL) {
      compact(json);
      const char *problem = NULL;
      char *name = wanted == NULL ? NULL : json_string(wanted->name), *key = NULL;
      if (name != NULL && asprintf(&key, "\"topic\":%s", name) > 0) problem = strstr(json, key);
      if (strstr(json, "\"ok\":true") == NULL) status = refused_by_broker(json);
      else if (problem != NULL) status = refused_by_broker(problem);
      free(name);
      free(key);
    }
    free(json);
  }
  natsMsg_Destroy(answer);
  free(text);
  pthread_mutex_unlock(&client->registering);
  return status;
}

static void on_reconnected(natsConnection *connection, void *closure) {
  (void)connection;
  if (send_registration(closure, NULL) != NATS_OK) fprintf(stderr, "mgr client: %s\n", last_error);
}

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The publisher whose message the broker refused; NULL: the error is about something else. */
static mgr_publisher *publisher_of(mgr_client *client, const char *error) {
  const char *key = "Publish to \"", *subject = strstr(error, key);
  if (subject == NULL) return NULL;
  subject += strlen(key);
  const char *end = strchr(subject, '"');
  /* libnats cuts long errors: then the subject has only a beginning. */
  size_t length = end == NULL ? strlen(subject) : (size_t)(end - subject);
  for (mgr_publisher *each = client->publishers; each != NULL; each = each->next)
    if (strncmp(each->subject, subject, length) == 0 && (end == NULL || each->subject[length] == '\0')) return each;
  return NULL;
}

static void on_error(natsConnection *connection, natsSubscription *subscription, natsStatus status, void *closure) {
  (void)connection;
  (void)subscription;
  mgr_client *client = closure;
  /* Of this thread: the one of the connection may be newer. */
  const char *text = nats_GetLastError(NULL);
  if (text == NULL) text = "";
  pthread_mutex_lock(&client->lock);
  mgr_publisher *publisher = status == NATS_NOT_PERMITTED ? publisher_of(client, text) : NULL;
  if (publisher != NULL) client->counters.refused++;
  if (publisher != NULL && publisher->on_refused != NULL) {
    client->refused = publisher;
    pthread_mutex_unlock(&client->lock);
    publisher->on_refused(publisher->name, text, publisher->closure);
    pthread_mutex_lock(&client->lock);
    client->refused = NULL;
    pthread_cond_broadcast(&client->ended);
  } else if (publisher == NULL || now_ns() >= client->quiet_until) {
    if (publisher != NULL) client->quiet_until = now_ns() + QUIET_NS;
    fprintf(stderr, "mgr client: %s: %s\n", natsStatus_GetText(status), text);
  }
  pthread_mutex_unlock(&client->lock);
}

/* The last callback of a connection. */
static void on_closed(natsConnection *connection, void *closure) {
  (void)connection;
  mgr_client *client = closure;
  pthread_mutex_lock(&client->lock);
  client->is_closed = true;
  pthread_cond_broadcast(&client->ended);
  pthread_mutex_unlock(&client->lock);
}

natsStatus mgr_client_connect(mgr_client **client, const char *name) {
  const char *url = getenv("MGR_BUS_URL"), *other = getenv("MGR_CLIENT_NAME");
  if (other != NULL && *other != '\0') name = other;
  if (url == NULL || *url == '\0')
    return refused(NATS_INVALID_ARG, "there is no address of the bus: set MGR_BUS_URL to the content of bus.url in the state folder");
  if (name == NULL || *name == '\0' || strlen(name) > MAX_CLIENT_NAME_BYTES)
    return refused(NATS_INVALID_ARG, "the name of a client must have 1 to 128 characters");
  mgr_client *made = calloc(1, sizeof *made);
  if (made == NULL) return failed(NATS_NO_MEMORY, "mgr_client_connect");
  pthread_mutex_init(&made->lock, NULL);
  pthread_mutex_init(&made->registering, NULL);
  pthread_cond_init(&made->ended, NULL);
  made->name_json = json_string(name);
  natsOptions *options = NULL;
  natsStatus status = made->name_json == NULL ? NATS_NO_MEMORY : natsOptions_Create(&options);
  if (status == NATS_OK) status = natsOptions_SetURL(options, url);
  if (status == NATS_OK) status = natsOptions_SetName(options, name);
  if (status == NATS_OK) status = natsOptions_SetMaxReconnect(options, -1);
  if (status == NATS_OK) status = natsOptions_SetReconnectWait(options, RECONNECT_WAIT_MS);
  if (status == NATS_OK) status = natsOptions_SetPingInterval(options, PING_INTERVAL_MS);
  if (status == NATS_OK) status = natsOptions_SetMaxPingsOut(options, MAX_PINGS_OUT);
  if (status == NATS_OK) status = natsOptions_SetRetryOnFailedConnect(options, true, NULL, NULL);
  if (status == NATS_OK) status = natsOptions_SetReconnectedCB(options, on_reconnected, made);
  if (status == NATS_OK) status = natsOptions_SetErrorHandler(options, on_error, made);
  if (status == NATS_OK) status = natsOptions_SetClosedCB(options, on_closed, made);
  if (status == NATS_OK) status = natsConnection_Connect(&made->connection, options);
  natsOptions_Destroy(options);
  if (status == NATS_OK) status = send_registration(made, NULL);
  if (status != NATS_OK) {
    if (status != NATS_NOT_PERMITTED) failed(status, "mgr_client_connect");
    mgr_client_close(made);
    return status;
  }
  *client = made;
  return NATS_OK;
}

static void on_ended(void *closure) {
  mgr_client *client = closure;
  pthread_mutex_lock(&client->lock);
  client->active--;
  pthread_cond_broadcast(&client->ended);
  pthread_mutex_unlock(&client->lock);
}

/* Subscribes, so that mgr_client_close can wait for the end of its callbacks. */
static natsStatus subscribe(mgr_client *client, natsSubscription **subscription, const char *subject, natsMsgHandler handler, void *closure) {
  natsStatus status = natsConnection_Subscribe(subscription, client->connection, subject, handler, closure);
  if (status != NATS_OK) return status;
  pthread_mutex_lock(&client->lock);
  client->active++;
  pthread_mutex_unlock(&client->lock);
  status = natsSubscription_SetOnCompleteCB(*subscription, on_ended, client);
  if (status != NATS_OK) on_ended(client);
  return status;
}

static void free_publisher(mgr_publisher *publisher) {
  if (publisher == NULL) return;
  natsSubscription_Destroy(publisher->info_subscription);
  free(publisher->topic_json);
  free(publisher->name);
  free(publisher);
}

static void on_info(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure) {
  (void)subscription;
  const info *about = closure;
  if (natsMsg_GetReply(message) != NULL) natsConnection_PublishString(connection, natsMsg_GetReply(message), about->text);
  natsMsg_Destroy(message);
}

/* How messages of the topic wait for slow receivers, as members of a JSON object, to be freed. */
static char *waiting_json(const mgr_topic *topic) {
  char age[40] = "", within[40] = "", *json = NULL;
  if (topic->max_age_ms > 0) snprintf(age, sizeof age, ",\"max_age_ms\":%lld", (long long)topic->max_age_ms);
  if (topic->reliable_within > 0) snprintf(within, sizeof within, ",\"reliable_within\":%lld", (long long)topic->reliable_within);
  return asprintf(&json, "\"priority\":%d%s%s", topic->priority, age, within) < 0 ? NULL : json;
}

static const char *waiting_problem(const mgr_topic *topic) {
  if (topic->priority < 0 || topic->priority > MAX_PRIORITY) return "priority must be a whole number from 0 to 7";
  if (topic->max_age_ms < 0 || topic->max_age_ms > MAX_SAFE_INTEGER) return "max_age_ms must be 0 (none) or a whole number from 1 to 9007199254740991";
  if (topic->reliable_within < 0 || topic->reliable_within > MAX_RELIABLE_BYTES)
    return "reliable_within must be 0 (none) or a whole number from 1 to 4194304";
  return NULL;
}

/* Fills what is said of the topic, and subscribes to questions about it. */
static natsStatus describe(mgr_publisher *publisher, const mgr_topic *topic) {
  const char *encoding = topic->encoding == NULL ? "raw" : topic->encoding;
  char *name = json_string(topic->name), *definition = json_string(topic->definition == NULL ? "" : topic->definition);
  char *definition_name = json_string(topic->definition_name == NULL ? "" : topic->definition_name), *named = NULL;
  char *waiting = waiting_json(topic);
  int size = -1;
  /* Left out, it is the title of a JSON Schema. */
  if (topic->definition_name == NULL) named = strdup("");
  else if (asprintf(&named, ",\"definition_name\":%s", definition_name) < 0) named = NULL;
  if (name != NULL && definition != NULL && named != NULL && waiting != NULL)
    size = asprintf(&publisher->topic_json, "{\"name\":%s,\"encoding\":\"%s\",\"definition\":%s%s,\"keep_last\":%s,%s}", name, encoding, definition,
                    named, topic->keep_last ? "true" : "false", waiting);
  publisher->info = size > 0 ? calloc(1, sizeof *publisher->info) : NULL;
  if (publisher->info != NULL) {
    size = asprintf(&publisher->info->text, "{\"name\":%s,\"encoding\":\"%s\",\"definition\":%s,\"definition_name\":%s}", name, encoding, definition,
                    definition_name);
    pthread_mutex_lock(&publisher->client->lock);
    publisher->info->next = publisher->client->infos;
    publisher->client->infos = publisher->info;
    pthread_mutex_unlock(&publisher->client->lock);
  }
  publisher->name = strdup(topic->name);
  free(name);
  free(definition);
  free(definition_name);
  free(named);
  free(waiting);
  if (size < 0 || publisher->name == NULL) return NATS_NO_MEMORY;
  char subject[MAX_SUBJECT_BYTES];
  if (publisher->info == NULL || !subject_of(subject, "topic_info.", topic->name)) return NATS_OK;
  return subscribe(publisher->client, &publisher->info_subscription, subject, on_info, publisher->info);
}

natsStatus mgr_client_publisher(mgr_publisher **publisher, mgr_client *client, const mgr_topic *topic) {
  mgr_publisher *made = calloc(1, sizeof *made);
  if (made == NULL) return failed(NATS_NO_MEMORY, "mgr_client_publisher");
  made->client = client;
  if (!subject_of(made->subject, "topic.", topic->name)) {
    free(made);
    return refused(NATS_INVALID_ARG, "a topic has a name of 1 to 255 bytes, with 1 to 62 parts between its '/', none of them empty");
  }
  const char *problem = waiting_problem(topic);
  if (problem != NULL) {
    free(made);
    return refused(NATS_INVALID_ARG, problem);
  }
  made->on_refused = topic->on_refused;
  made->closure = topic->closure;
  natsStatus status = describe(made, topic);
  if (status != NATS_OK) {
    free_publisher(made);
    return failed(status, "mgr_client_publisher");
  }
  pthread_mutex_lock(&client->lock);
  made->next = client->publishers;
  client->publishers = made;
  pthread_mutex_unlock(&client->lock);
  status = send_registration(client, made);
  if (status != NATS_OK) {
    char sentence[sizeof last_error];
    strcpy(sentence, last_error);
    mgr_publisher_close(made);
    strcpy(last_error, sentence);
    return status;
  }
  *publisher = made;
  return NATS_OK;
}

/* At most 8 of "arm.state=1700000000000000000", with semicolons between them. */
static bool are_stages(const char *text) {
  for (int count = 1; count <= MAX_STAGES; count++) {
    size_t name = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.%-");
    if (name == 0 || name > MAX_STAGE_NAME_BYTES || text[name] != '=') return false;
    text += name + 1;
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 19) return false;
    text += digits;
    if (*text != ';') return *text == '\0';
    text++;
  }
  return false;
}

/* The header Mgr-Stages of a message that `cause` leads to, to be freed (docs/clients.md, "Stages"); NULL: it has none. */
static char *stages_after(const mgr_message *cause, const char *own_subject) {
  char subject[MAX_SUBJECT_BYTES], *all = NULL;
  if (cause == NULL || cause->time_ns == 0 || !subject_of(subject, "", cause->topic)) return NULL;
  const char *before = cause->stages != NULL && are_stages(cause->stages) ? cause->stages : "";
  int size = asprintf(&all, "%s%s%s=%lld", before, *before == '\0' ? "" : ";", subject, (long long)cause->time_ns);
  if (size < 0) return NULL;
  char *kept = calloc(1, (size_t)size + 1), *stages[MAX_STAGES + 1], *rest = all;
  int count = 0, first = 0;
  while (rest != NULL) stages[count++] = strsep(&rest, ";");
  /* In a loop of topics, the chain begins anew behind the last message of this one. */
  const char *own = own_subject + strlen("topic.");
  size_t own_size = strlen(own);
  for (int n = 0; n < count; n++)
    if (strncmp(stages[n], own, own_size) == 0 && stages[n][own_size] == '=') first = n + 1;
  bool is_long = count - first > MAX_STAGES;
  char *at = kept;
  for (int n = first; n < count && kept != NULL; n++) {
    if (is_long && n == first + 1) continue;
    if (at != kept) *at++ = ';';
    at = stpcpy(at, stages[n]);
  }
  free(all);
  if (at != kept) return kept;
  free(kept);
  return NULL;
}

natsStatus mgr_publish(mgr_publisher *publisher, const void *data, int size) { return mgr_publish_after(publisher, data, size, NULL); }

natsStatus mgr_publish_after(mgr_publisher *publisher, const void *data, int size, const mgr_message *cause) {
  mgr_client *client = publisher->client;
  natsMsg *message = NULL;
  char seq[24], at[24], *stages = stages_after(cause, publisher->subject);
  /* Numbers are sent in their order. */
  pthread_mutex_lock(&client->lock);
  snprintf(seq, sizeof seq, "%llu", (unsigned long long)++publisher->seq);
  snprintf(at, sizeof at, "%lld", (long long)now_ns());
  natsStatus status = natsConnection_Status(client->connection) == NATS_CONN_STATUS_CONNECTED ? NATS_OK : NATS_CONNECTION_DISCONNECTED;
  if (status == NATS_OK && natsConnection_Buffered(client->connection) > MAX_UNSENT_BYTES) status = NATS_SLOW_CONSUMER;
  if (status == NATS_OK) status = natsMsg_Create(&message, publisher->subject, NULL, data, size);
  if (status == NATS_OK) status = natsMsgHeader_Set(message, "Mgr-Seq", seq);
  if (status == NATS_OK) status = natsMsgHeader_Set(message, "Mgr-Time", at);
  if (status == NATS_OK && stages != NULL) status = natsMsgHeader_Set(message, "Mgr-Stages", stages);
  if (status == NATS_OK) status = natsConnection_PublishMsg(client->connection, message);
  if (status == NATS_OK) client->counters.sent++;
  else client->counters.unsent++;
  pthread_mutex_unlock(&client->lock);
  natsMsg_Destroy(message);
  free(stages);
  return failed(status, publisher->name);
}

void mgr_publisher_close(mgr_publisher *publisher) {
  mgr_client *client = publisher->client;
  pthread_mutex_lock(&client->lock);
  for (mgr_publisher **at = &client->publishers; *at != NULL; at = &(*at)->next)
    if (*at == publisher) {
      *at = publisher->next;
      break;
    }
  while (client->refused == publisher) pthread_cond_wait(&client->ended, &client->lock);
  pthread_mutex_unlock(&client->lock);
  if (publisher->info_subscription != NULL) natsSubscription_Unsubscribe(publisher->info_subscription);
  send_registration(client, NULL);
  free_publisher(publisher);
}

static int64_t header_number(natsMsg *message, const char *key) {
  const char *text = NULL;
  if (natsMsgHeader_Get(message, key, &text) != NATS_OK || text[0] < '0' || text[0] > '9') return 0;
  return strtoll(text, NULL, 10);
}

static void on_message(natsConnection *connection, natsSubscription *ignored, natsMsg *received, void *closure) {
  (void)connection;
  (void)ignored;
  mgr_subscription *subscription = closure;
  mgr_client *client = subscription->client;
  const char *stages = NULL;
  if (natsMsgHeader_Get(received, "Mgr-Stages", &stages) != NATS_OK) stages = NULL;
  mgr_message message = {
      .topic = subscription->topic,
      .data = natsMsg_GetData(received),
      .size = natsMsg_GetDataLength(received),
      .seq = (uint64_t)header_number(received, "Mgr-Seq"),
      .time_ns = header_number(received, "Mgr-Time"),
      .is_last = header_number(received, "Mgr-Last") == 1,
      .stages = stages,
  };
  bool is_duplicate = message.is_last && message.seq != 0 && message.seq == subscription->last_seq && message.time_ns == subscription->last_time;
  if (!is_duplicate) {
    pthread_mutex_lock(&client->lock);
    client->counters.received++;
    /* A smaller or equal number is a publisher that was restarted. */
    if (message.seq > subscription->last_seq && subscription->last_seq != 0) client->counters.missed += message.seq - subscription->last_seq - 1;
    pthread_mutex_unlock(&client->lock);
    if (message.seq != 0) {
      subscription->last_seq = message.seq;
      subscription->last_time = message.time_ns;
    }
    subscription->receiver(&message, subscription->closure);
  }
  natsMsg_Destroy(received);
}

natsStatus mgr_client_subscribe(mgr_subscription **subscription, mgr_client *client, const char *topic, mgr_receiver receiver, void *closure) {
  char subject[MAX_SUBJECT_BYTES];
  if (!subject_of(subject, "topic.", topic))
    return refused(NATS_INVALID_ARG, "a topic has a name of 1 to 255 bytes, with 1 to 62 parts between its '/', none of them empty");
  mgr_subscription *made = calloc(1, sizeof *made);
  if (made == NULL) return failed(NATS_NO_MEMORY, "mgr_client_subscribe");
  *made = (mgr_subscription){.client = client, .topic = strdup(topic), .receiver = receiver, .closure = closure};
  natsStatus status = subscribe(client, &made->subscription, subject, on_message, made);
  /* So that it is in place on return; while the client is not connected, it begins with the next connection. */
  if (status == NATS_OK && natsConnection_Status(client->connection) == NATS_CONN_STATUS_CONNECTED) natsConnection_Flush(client->connection);
  pthread_mutex_lock(&client->lock);
  made->next = client->subscriptions;
  client->subscriptions = made;
  pthread_mutex_unlock(&client->lock);
  if (subscription != NULL) *subscription = made;
  return failed(status, "mgr_client_subscribe");
}

mgr_counters mgr_client_counters(mgr_client *client) {
  pthread_mutex_lock(&client->lock);
  mgr_counters counters = client->counters;
  pthread_mutex_unlock(&client->lock);
  return counters;
}

natsConnection *mgr_client_connection(mgr_client *client) { return client->connection; }

void mgr_client_close(mgr_client *client) {
  if (client == NULL) return;
  if (client->connection != NULL) {
    natsConnection_FlushTimeout(client->connection, 1000);
    natsConnection_Close(client->connection);
  }
  pthread_mutex_lock(&client->lock);
  while (client->active > 0 || (client->connection != NULL && !client->is_closed)) pthread_cond_wait(&client->ended, &client->lock);
  pthread_mutex_unlock(&client->lock);
  for (info *each = client->infos, *next; each != NULL; each = next) {
    next = each->next;
    free(each->text);
    free(each);
  }
  for (mgr_publisher *each = client->publishers, *next; each != NULL; each = next) {
    next = each->next;
    free_publisher(each);
  }
  for (mgr_subscription *each = client->subscriptions, *next; each != NULL; each = next) {
    next = each->next;
    natsSubscription_Destroy(each->subscription);
    free(each->topic);
    free(each);
  }
  natsConnection_Destroy(client->connection);
  free(client->name_json);
  pthread_cond_destroy(&client->ended);
  pthread_mutex_destroy(&client->lock);
  pthread_mutex_destroy(&client->registering);
  free(client);
}
