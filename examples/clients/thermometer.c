/* A thermometer on the bus: topic room/temperature at 10 Hz.
 *
 *     gcc -I../../clients/c thermometer.c ../../clients/c/mgr_client.c -lnats -lpthread -o thermometer
 *     MGR_BUS_URL=$(cat STATE_FOLDER/bus.url) ./thermometer
 */
#include <mgr_client.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  mgr_client *client;
  mgr_publisher *temperature;
  mgr_topic topic = {
      .name = "room/temperature",
      .encoding = "json",
      .definition = "{\"title\": \"demo.Temperature\", \"type\": \"object\", \"properties\": {\"celsius\": {\"type\": \"number\"}}}",
  };
  if (mgr_client_connect(&client, "room/thermometer") != NATS_OK || mgr_client_publisher(&temperature, client, &topic) != NATS_OK) {
    fprintf(stderr, "%s\n", mgr_client_error());
    return 1;
  }
  puts("publishing room/temperature");
  fflush(stdout);
  for (double reading = 21;; usleep(100000)) {
    char text[64];
    reading += ((double)rand() / RAND_MAX - 0.5) / 10;
    /* What cannot be sent is counted; the library reconnects by itself. */
    mgr_publish(temperature, text, snprintf(text, sizeof text, "{\"celsius\": %.3f}", reading));
  }
}
